/* `shardlab quiz export`: notes that Anki can read and finds again, JSON that says all, Markdown that no text breaks; and a
 * folder of data that is damaged or empty. */
#define _POSIX_C_SOURCE 200809L

#include <sys/stat.h>
#include <unistd.h>

#include "support/quiz_list.h"

enum { FIELDS = 4, NOTES_MAX = 1024 };

/* --- Anki --- */

static const char head[] = "#separator:tab\n#html:true\n#guid column:1\n#notetype:Basic\n"
                           "#deck:shardlab\n#tags column:4\n";

struct note {
    char *fields[FIELDS];
};

/* Cuts the export into notes; the text is r's. */
static int read_notes(struct run *r, struct note notes[NOTES_MAX]) {
    int count = 0;
    ck_assert_msg(strncmp(r->out, head, sizeof head - 1) == 0, "%.200s", r->out);
    for (char *line = r->out + sizeof head - 1; *line != '\0';) {
        char *end = strchr(line, '\n');
        ck_assert_ptr_nonnull(end);
        *end = '\0';
        ck_assert_int_lt(count, NOTES_MAX);
        for (int i = 0; i < FIELDS; i++) {
            char *tab = strchr(line, '\t');
            ck_assert_msg((tab != NULL) == (i < FIELDS - 1), "field %d: %s", i, line);
            notes[count].fields[i] = line;
            if (tab != NULL) {
                *tab = '\0';
                line = tab + 1;
            }
        }
        line = end + 1;
        count++;
    }
    return count;
}

/* Tags are opened and closed, entities are the four there are, no field begins with a quote. */
static void check_html(const char *field) {
    static const char *const tags[] = {"ol",     "ul",   "li",    "b",  "i",  "small",
                                       "/small", "code", "/code", "p",  "/p", "/ol",
                                       "/ul",    "/li",  "/b",    "/i", "br", "ol type=A"};
    int open = 0;
    ck_assert_msg(field[0] != '\0' && strchr("\"'#", field[0]) == NULL, "%s", field);
    for (const char *at = strpbrk(field, "<>&\""); at != NULL; at = strpbrk(at + 1, "<>&\"")) {
        bool known = strncmp(at, "&amp;", 5) == 0 || strncmp(at, "&lt;", 4) == 0 ||
                     strncmp(at, "&gt;", 4) == 0 || strncmp(at, "&quot;", 6) == 0;
        for (size_t i = 0; *at == '<' && !known && i < sizeof tags / sizeof tags[0]; i++) {
            size_t length = strlen(tags[i]);
            known = strncmp(at + 1, tags[i], length) == 0 && at[1 + length] == '>';
        }
        ck_assert_msg(known || *at == '>', "%.40s", at);
        open += *at == '<' && strncmp(at, "<br>", 4) != 0 ? (at[1] == '/' ? -1 : 1) : 0;
    }
    ck_assert_msg(open == 0, "tags are left open: %s", field);
}

START_TEST(every_question_is_a_note_in_each_language) {
    static struct note notes[NOTES_MAX];
    struct run r;
    cJSON *all = quiz_ask_json("quiz list --json");
    int questions = cJSON_GetArraySize(quiz_list_of(all, "questions"));
    expect_good(&r, "quiz export --format anki", NULL);
    int count = read_notes(&r, notes);
    ck_assert_int_eq(count, 2 * questions);
    for (int i = 0; i < count; i++) {
        const cJSON *q = cJSON_GetArrayItem(quiz_list_of(all, "questions"), i % questions);
        char guid[128], tags[256];
        const char *language = i < questions ? "en" : "zh";
        (void)snprintf(guid, sizeof guid, "shardlab:%s:%s", quiz_member(q, "id"), language);
        ck_assert_str_eq(notes[i].fields[0], guid);
        (void)snprintf(tags, sizeof tags, "lesson::%s kind::%s level::%d topic::%s lang::%s",
                       quiz_member(q, "lesson"), quiz_member(q, "kind"), (int)quiz_real(q, "level"),
                       quiz_member(q, "topic"), language);
        ck_assert_str_eq(notes[i].fields[3], tags);
        check_html(notes[i].fields[1]);
        check_html(notes[i].fields[2]);
        ck_assert_msg(strstr(notes[i].fields[1], "{{") == NULL, "%s", notes[i].fields[1]);
    }
    cJSON_Delete(all);
    run_free(&r);
}
END_TEST

/* Another seed changes numbers, never the GUID, and both seeds are stated on the card. */
START_TEST(a_guid_does_not_depend_on_the_seed) {
    static struct note first[NOTES_MAX], other[NOTES_MAX];
    struct run a, b;
    bool changed = false;
    expect_good(&a, "quiz export --format anki --lesson collectives --kind number", NULL);
    expect_good(&b, "quiz export --format anki --lesson collectives --kind number --seed 9", NULL);
    int count = read_notes(&a, first);
    ck_assert_int_eq(read_notes(&b, other), count);
    for (int i = 0; i < count; i++) {
        ck_assert_str_eq(first[i].fields[0], other[i].fields[0]);
        changed = changed || strcmp(first[i].fields[1], other[i].fields[1]) != 0;
    }
    ck_assert(changed);
    ck_assert_ptr_nonnull(strstr(first[0].fields[1], "numbers of seed 1"));
    ck_assert_ptr_nonnull(strstr(other[count - 1].fields[1], "数值由种子 9 生成"));
    run_free(&a);
    run_free(&b);
}
END_TEST

START_TEST(a_language_alone_is_exported_when_it_is_named) {
    struct run r;
    expect_good(&r, "quiz export --format anki --lang zh", NULL);
    ck_assert_ptr_nonnull(strstr(r.out, "\nshardlab:memory.states.largest:zh\t"));
    ck_assert_ptr_null(strstr(r.out, ":en\t"));
    run_free(&r);
    expect_good(&r, "quiz export --format markdown --lang en", NULL);
    ck_assert_ptr_nonnull(strstr(r.out, "\n## memory.states.largest\n"));
    ck_assert_ptr_null(strstr(r.out, "题库"));
    run_free(&r);
    expect_good(&r, "quiz export --format markdown", NULL);
    ck_assert_ptr_nonnull(strstr(r.out, "# Questions of shardlab\n"));
    ck_assert_ptr_nonnull(strstr(r.out, "\n# shardlab 题库\n"));
    run_free(&r);
}
END_TEST

/* --- JSON --- */

static const char *const as_json[] = {"quiz export --format json", "quiz export --json",
                                      "quiz export --format json --json"};

START_TEST(json_holds_both_languages_and_the_answers) {
    cJSON *all = quiz_ask_json(as_json[_i]);
    const cJSON *q = NULL;
    ck_assert_int_eq((int)quiz_real(all, "seed"), 1);
    cJSON_ArrayForEach(q, quiz_list_of(all, "questions")) {
        const cJSON *stem = quiz_list_of(q, "stem");
        ck_assert_int_gt((int)strlen(quiz_member(stem, "en")), 0);
        ck_assert_int_gt((int)strlen(quiz_member(stem, "zh")), 0);
        ck_assert(cJSON_IsArray(quiz_list_of(q, "follow")));
        const char *kind = quiz_member(q, "kind");
        const char *holds = strcmp(kind, "choice") == 0   ? "options"
                            : strcmp(kind, "number") == 0 ? "answer"
                            : strcmp(kind, "order") == 0  ? "things"
                            : strcmp(kind, "derive") == 0 ? "lines"
                                                          : "facts";
        ck_assert_msg(quiz_list_of(q, holds) != NULL, "%s", quiz_member(q, "id"));
    }
    cJSON_Delete(all);
    all = quiz_ask_json("quiz export --format json --lang zh");
    q = cJSON_GetArrayItem(quiz_list_of(all, "questions"), 0);
    ck_assert_int_gt((int)strlen(quiz_member(q, "stem")), 0);
    cJSON_Delete(all);
}
END_TEST

static const struct {
    const char *line;
    int status;
    const char *named;
} refused[] = {
    {"quiz export", 2, "--format|anki|json|markdown"},
    {"quiz export --format csv", 2, "--format csv|anki"},
    {"quiz export --format anki --json", 2, "--json|--format"},
    {"quiz export --format anki more", 2, "more"},
    {"quiz export --format anki --answer", 2, "--answer|export"},
    {"quiz export --format anki --lesson nowhere", 2, "nowhere"},
    {"quiz export --format anki --kind essay", 2, "essay"},
};

START_TEST(what_cannot_be_exported_is_named) {
    for (int zh = 0; zh <= 1; zh++) {
        char line[EXPECT_LINE_MAX];
        struct expect_words words;
        struct run r;
        (void)snprintf(line, sizeof line, "--lang %s %s", zh ? "zh" : "en", refused[_i].line);
        expect_refused(&r, expect_split(&words, line), refused[_i].status, "shardlab: quiz: ");
        expect_names(r.err, refused[_i].named);
        run_free(&r);
    }
}
END_TEST

/* --- Other data --- */

static char base[RUN_PATH_MAX], lessons[RUN_PATH_MAX], memory[RUN_PATH_MAX];
static char data_variable[RUN_PATH_MAX + 32];
static const char *environment[] = {data_variable, NULL};
static const struct run_options with_data = {.environment = environment};

static void make_data(void) {
    char path[RUN_PATH_MAX];
    folder_make(base, TEST_BINARY_DIR);
    ck_assert_int_eq(symlink(TEST_SOURCE_DIR "/../assets", folder_path(path, base, "assets")), 0);
    ck_assert_int_eq(mkdir(folder_path(lessons, base, "lessons"), 0777), 0);
    ck_assert_int_eq(mkdir(folder_path(memory, lessons, "10_memory"), 0777), 0);
    (void)snprintf(data_variable, sizeof data_variable, "SHARDLAB_DATA=%s", base);
}

static void remove_data(void) {
    folder_remove(memory);
    folder_remove(lessons);
    folder_remove(base);
}

static void write_quiz(const char *text) {
    char path[RUN_PATH_MAX];
    file_write(folder_path(path, memory, "quiz.json"), text, strlen(text));
}

#define RECALL(id, stem)                                                                           \
    "{\"id\": \"" id "\", \"kind\": \"recall\", \"page\": 1, \"level\": 2, \"topic\": \"MA-01\", " \
    "\"stem\": {\"en\": \"" stem "\", \"zh\": \"说\"}, \"parts\": [{\"en\": \"a\", \"zh\": "      \
    "\"甲\"}, {\"en\": \"b\", \"zh\": \"乙\"}, {\"en\": \"c\", \"zh\": \"丙\"}], \"explain\": " \
    "{\"en\": \"so\", \"zh\": \"故\"}}"

START_TEST(no_text_breaks_out_of_its_field) {
    static struct note notes[NOTES_MAX];
    struct run r;
    write_quiz("{\"questions\": [" RECALL(
        "memory.marks", "<script>x</script> & \\\"a\\\" *b* _c_ [d](e) # f | `g` \\\\") "]}");
    expect_good(&r, "quiz export --format anki --lang en", &with_data);
    ck_assert_int_eq(read_notes(&r, notes), 1);
    check_html(notes[0].fields[1]);
    ck_assert_str_eq(notes[0].fields[1], "&lt;script&gt;x&lt;/script&gt; &amp; &quot;a&quot; *b* "
                                         "_c_ [d](e) # f | `g` \\");
    run_free(&r);
    expect_good(&r, "quiz export --format markdown --lang en", &with_data);
    ck_assert_ptr_nonnull(strstr(r.out, "\\<script\\>x\\</script\\> \\& \"a\" \\*b\\* \\_c\\_ "
                                        "\\[d\\](e) \\# f \\| \\`g\\` \\\\\n"));
    run_free(&r);
}
END_TEST

START_TEST(data_without_a_question_says_so) {
    struct run r;
    const char *argv[] = {"quiz", "list", NULL};
    expect_refused_with(&r, argv, 1, "shardlab: quiz: ", &with_data);
    run_free(&r);
}
END_TEST

START_TEST(a_damaged_quiz_is_named_with_its_place) {
    struct run r;
    char prefix[RUN_PATH_MAX + 64];
    const char *argv[] = {"quiz", "list", NULL};
    write_quiz("{\"questions\": [" RECALL("zero.tell", "T") "]}");
    (void)snprintf(prefix, sizeof prefix,
                   "shardlab: quiz: %s/quiz.json: questions[0].id: ", memory);
    expect_refused_with(&r, argv, 1, prefix, &with_data);
    run_free(&r);
}
END_TEST

/* Numbers come from the program: it cannot ask for one that another version computes. */
START_TEST(a_number_that_nobody_computes_is_not_asked_for) {
    struct run r;
    static const char *const lines[] = {"quiz list", "quiz show memory.unknown",
                                        "quiz answer memory.unknown 3", "quiz export --json"};
    write_quiz("{\"questions\": [{\"id\": \"memory.unknown\", \"kind\": \"number\", \"page\": 1, "
               "\"level\": 1, \"topic\": \"MA-01\", \"stem\": {\"en\": \"T\", \"zh\": \"说\"}, "
               "\"hints\": [{\"en\": \"h\", \"zh\": \"示\"}]}]}");
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        struct expect_words words;
        expect_refused_with(&r, expect_split(&words, lines[i]), 1, "shardlab: quiz: memory.unknown",
                            &with_data);
        run_free(&r);
    }
}
END_TEST

START_TEST(nothing_left_by_a_filter_is_no_export) {
    struct run r;
    struct expect_words words;
    write_quiz("{\"questions\": [" RECALL("memory.tell", "T") "]}");
    expect_refused_with(&r, expect_split(&words, "quiz export --format json --kind choice"), 1,
                        "shardlab: quiz: ", &with_data);
    run_free(&r);
    expect_good(&r, "quiz list --kind choice --lang en", &with_data);
    ck_assert_ptr_nonnull(strstr(r.out, "Questions: 0."));
    run_free(&r);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("cli quiz export");
    TCase *t = tcase_create("formats");
    tcase_add_test(t, every_question_is_a_note_in_each_language);
    tcase_add_test(t, a_guid_does_not_depend_on_the_seed);
    tcase_add_test(t, a_language_alone_is_exported_when_it_is_named);
    tcase_add_loop_test(t, json_holds_both_languages_and_the_answers, 0,
                        (int)(sizeof as_json / sizeof as_json[0]));
    tcase_add_loop_test(t, what_cannot_be_exported_is_named, 0,
                        (int)(sizeof refused / sizeof refused[0]));
    suite_add_tcase(s, t);
    TCase *other = tcase_create("other data");
    tcase_add_checked_fixture(other, make_data, remove_data);
    tcase_add_test(other, no_text_breaks_out_of_its_field);
    tcase_add_test(other, data_without_a_question_says_so);
    tcase_add_test(other, a_damaged_quiz_is_named_with_its_place);
    tcase_add_test(other, a_number_that_nobody_computes_is_not_asked_for);
    tcase_add_test(other, nothing_left_by_a_filter_is_no_export);
    suite_add_tcase(s, other);
    return s;
}

#include "support/check_main.h"
