/* Quiz files become questions: a good file of every kind is read as it is written; of each rule one planted fault is
 * refused with its place; and whatever is done to a file, reading it ends. */
#define _POSIX_C_SOURCE 200809L

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shardlab/store/store.h"
#include "support/mangle.h"
#include "support/run.h"

enum { TEXT_MAX = 8192, ROUNDS = 3000, ROUNDS_A_STORE = 100 };

static const char good[] =
    "{\"questions\": [\n"
    "{\"id\": \"memory.states.largest\", \"kind\": \"choice\", \"page\": 2, \"level\": 1, "
    "\"topic\": \"MA-01\", \"family\": \"bytes\",\n"
    " \"stem\": {\"en\": \"Which of {{n}}?\", \"zh\": \"{{n}} 中的哪个？\"},\n"
    " \"parts\": [{\"en\": \"one\", \"zh\": \"一\", \"why\": {\"en\": \"w\", \"zh\": \"因\"}},\n"
    "  {\"en\": \"two\", \"zh\": \"二\", \"right\": true, \"why\": {\"en\": \"x\", \"zh\": "
    "\"果\"}},\n"
    "  {\"en\": \"three\", \"zh\": \"三\", \"why\": {\"en\": \"y\", \"zh\": \"故\"}}],\n"
    " \"hints\": [{\"en\": \"look\", \"zh\": \"看\"}], \"explain\": {\"en\": \"so\", \"zh\": "
    "\"所以\"},\n"
    " \"said\": {\"en\": \"they say\", \"zh\": \"常说\"}, \"follow\": [\"zero.next\", "
    "\"memory.bytes.number\"], \"opens\": true},\n"
    "{\"id\": \"memory.bytes.number\", \"kind\": \"number\", \"page\": 1, \"level\": 3, \"topic\": "
    "\"A4\",\n"
    " \"stem\": {\"en\": \"How many?\", \"zh\": \"多少？\"},\n"
    " \"parts\": [{\"id\": \"other-way\", \"en\": \"left out\", \"zh\": \"漏了\"}],\n"
    " \"hints\": [{\"en\": \"first\", \"zh\": \"先\"}, {\"en\": \"then\", \"zh\": \"再\"}]},\n"
    "{\"id\": \"memory.order\", \"kind\": \"order\", \"page\": 1, \"level\": 2, \"topic\": "
    "\"MA-11\",\n"
    " \"stem\": {\"en\": \"Order.\", \"zh\": \"排序。\"},\n"
    " \"parts\": [{\"en\": \"p\", \"zh\": \"甲\", \"why\": {\"en\": \"1st\", \"zh\": \"首\"}}, "
    "{\"en\": \"q\", \"zh\": \"乙\"}, {\"en\": \"r\", \"zh\": \"丙\"}],\n"
    " \"hints\": [{\"en\": \"h\", \"zh\": \"提示\"}], \"explain\": {\"en\": \"e\", \"zh\": "
    "\"解\"}},\n"
    "{\"id\": \"memory.derive\", \"kind\": \"derive\", \"page\": 1, \"level\": 2, \"topic\": "
    "\"MA-02\",\n"
    " \"stem\": {\"en\": \"Fill.\", \"zh\": \"填空。\"},\n"
    " \"parts\": [{\"en\": \"a = {{?}} GB\", \"zh\": \"甲 = {{?}} GB\"}, "
    "{\"en\": \"b = {{?}}\", \"zh\": \"乙 = {{?}}\"}],\n"
    " \"hints\": [{\"en\": \"h\", \"zh\": \"提示\"}]},\n"
    "{\"id\": \"memory.recall\", \"kind\": \"recall\", \"page\": 1, \"level\": 2, \"topic\": "
    "\"MA-03\",\n"
    " \"stem\": {\"en\": \"Tell.\", \"zh\": \"说说。\"},\n"
    " \"parts\": [{\"en\": \"f\", \"zh\": \"子\"}, {\"en\": \"g\", \"zh\": \"丑\"}, "
    "{\"en\": \"k\", \"zh\": \"寅\"}],\n"
    " \"explain\": {\"en\": \"e\", \"zh\": \"解\"}}\n"
    "]}\n";

static struct store *store;
static char path[RUN_PATH_MAX], folder[RUN_PATH_MAX];

static void start(void) {
    struct message why;
    folder_make(folder, ".");
    ck_assert_int_eq(store_open(&store, &why), STATUS_OK);
    (void)folder_path(path, folder, "quiz.json");
}

static void stop(void) {
    store_close(store);
    folder_remove(folder);
}

static enum status read_text(const char *text, const struct question **out, int *count,
                             struct message *why) {
    file_write(path, text, strlen(text));
    return store_quiz_file(store, path, out, count, why);
}

static void expect_texts(const char *const text[2], const char *en, const char *zh) {
    ck_assert_str_eq(text[0], en);
    ck_assert_str_eq(text[1], zh);
}

START_TEST(a_good_file_is_read_as_it_is_written) {
    const struct question *q = NULL;
    int count = 0;
    struct message why = {0};
    ck_assert_msg(read_text(good, &q, &count, &why) == STATUS_OK, "%s %s", why.id,
                  why.args[1].text);
    ck_assert_int_eq(count, QUESTION_KINDS);
    for (int i = 0; i < count; i++) { /* one of each kind, in their order */
        ck_assert_int_eq(q[i].kind, i);
        ck_assert_str_eq(q[i].lesson, "memory");
    }
    ck_assert_str_eq(q[0].id, "memory.states.largest");
    ck_assert_int_eq(q[0].page, 2);
    ck_assert_int_eq(q[0].level, 1);
    ck_assert_str_eq(q[0].topic, "MA-01");
    ck_assert_str_eq(q[0].family, "bytes");
    expect_texts(q[0].stem, "Which of {{n}}?", "{{n}} 中的哪个？");
    ck_assert_int_eq(q[0].part_count, 3);
    expect_texts(q[0].parts[2].text, "three", "三");
    expect_texts(q[0].parts[2].why, "y", "故");
    ck_assert(!q[0].parts[0].right && q[0].parts[1].right && !q[0].parts[2].right);
    expect_texts(q[0].explain, "so", "所以");
    expect_texts(q[0].said, "they say", "常说");
    ck_assert_int_eq(q[0].follow_count, 2);
    ck_assert_str_eq(q[0].follow[1], "memory.bytes.number");
    ck_assert(q[0].opens && !q[1].opens);
}
END_TEST

START_TEST(what_a_kind_need_not_have_is_absent) {
    const struct question *q = NULL;
    int count = 0;
    struct message why = {0};
    ck_assert_int_eq(read_text(good, &q, &count, &why), STATUS_OK);
    ck_assert_ptr_null(q[1].family);
    ck_assert_ptr_null(q[1].explain[0]);
    ck_assert_ptr_null(q[1].said[1]);
    ck_assert_int_eq(q[1].hint_count, 2);
    expect_texts(q[1].hints[1], "then", "再");
    ck_assert_str_eq(q[1].parts[0].id, "other-way");
    ck_assert_ptr_null(q[1].parts[0].why[0]);
    expect_texts(q[2].parts[0].why, "1st", "首");
    ck_assert_ptr_null(q[2].parts[1].why[0]);
    ck_assert_ptr_null(q[3].parts[0].id);
    ck_assert_int_eq(q[4].hint_count, 0);
    ck_assert_int_eq(q[4].follow_count, 0);
}
END_TEST

/* --- Planted faults --- */

/* The first `from` of the good file becomes `to`. */
static const struct {
    const char *from, *to, *message, *place;
} faults[] = {
    {"{\"questions\"", "{\"more\": 1, \"questions\"", "error.quiz.key", "more"},
    {"\"questions\": [", "\"questions\": [], \"x\": [", "error.quiz.key", "x"},
    {"\"questions\": [", "\"questions\": {}, \"questions\": [", "error.quiz.twice", "questions"},
    {"\"questions\": [\n", "\"questions\": [3, ", "error.quiz.object", "questions[0]"},
    {"\"level\": 1", "\"lvl\": 1", "error.quiz.key", "questions[0].lvl"},
    {"\"level\": 1", "\"level\": 1, \"level\": 2", "error.quiz.twice", "questions[0].level"},
    {"\"level\": 1", "\"level\": 4", "error.quiz.whole", "questions[0].level"},
    {"\"level\": 1", "\"level\": 1.5", "error.quiz.whole", "questions[0].level"},
    {"\"level\": 1", "\"level\": \"1\"", "error.quiz.whole", "questions[0].level"},
    {"\"level\": 1, ", "", "error.quiz.missing", "questions[0].level"},
    {"\"page\": 2", "\"page\": 0", "error.quiz.whole", "questions[0].page"},
    {"\"page\": 2", "\"page\": 1e300", "error.quiz.whole", "questions[0].page"},
    {"\"page\": 2, ", "", "error.quiz.missing", "questions[0].page"},
    {"\"id\": \"memory.states.largest\", ", "", "error.quiz.missing", "questions[0].id"},
    {"memory.states.largest", "Memory.states", "error.quiz.id", "questions[0].id"},
    {"memory.states.largest", "memory..states", "error.quiz.id", "questions[0].id"},
    {"memory.states.largest", "memory.states.", "error.quiz.id", "questions[0].id"},
    {"memory.states.largest", ".states", "error.quiz.id", "questions[0].id"},
    {"memory.states.largest", "memory.内存", "error.quiz.id", "questions[0].id"},
    {"memory.states.largest", "memory", "error.quiz.lesson", "questions[0].id"},
    {"memory.states.largest",
     "memory.aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "error.quiz.id",
     "questions[0].id"},
    {"\"memory.states.largest\"", "17", "error.quiz.id", "questions[0].id"},
    {"\"id\": \"memory.order\"", "\"id\": \"zero.order\"", "error.quiz.lesson", "questions[2].id"},
    {"\"id\": \"memory.order\"", "\"id\": \"memories.order\"", "error.quiz.lesson",
     "questions[2].id"},
    {"\"id\": \"memory.order\"", "\"id\": \"memory.bytes.number\"", "error.quiz.id_twice",
     "questions[2].id"},
    {"\"kind\": \"choice\"", "\"kind\": \"Choice\"", "error.quiz.kind", "questions[0].kind"},
    {"\"kind\": \"choice\", ", "", "error.quiz.missing", "questions[0].kind"},
    {"\"MA-01\"", "\"MA-1\"", "error.quiz.topic", "questions[0].topic"},
    {"\"MA-01\"", "\"ma-01\"", "error.quiz.topic", "questions[0].topic"},
    {"\"MA-01\"", "\"MA-011\"", "error.quiz.topic", "questions[0].topic"},
    {"\"A4\"", "\"A44\"", "error.quiz.topic", "questions[1].topic"},
    {"\"topic\": \"MA-01\", ", "", "error.quiz.missing", "questions[0].topic"},
    {"\"family\": \"bytes\"", "\"family\": \"two words\"", "error.quiz.id", "questions[0].family"},
    {"\"en\": \"Which of {{n}}?\", ", "", "error.quiz.missing", "questions[0].stem.en"},
    {", \"zh\": \"{{n}} 中的哪个？\"", "", "error.quiz.missing", "questions[0].stem.zh"},
    {"{{n}} 中的哪个？", "", "error.quiz.text", "questions[0].stem.zh"},
    {"{{n}} 中的哪个？", "  ", "error.quiz.text", "questions[0].stem.zh"},
    {"\"Which of {{n}}?\"", "[\"Which\"]", "error.quiz.text", "questions[0].stem.en"},
    {"\"Which of {{n}}?\"", "\"a\\nb\"", "error.quiz.control", "questions[0].stem.en"},
    {"\"Which of {{n}}?\"", "\"a\\u0085b\"", "error.quiz.control", "questions[0].stem.en"},
    {"\"Which of {{n}}?\"", "\"a\x7f\"", "error.quiz.control", "questions[0].stem.en"},
    {"Which of {{n}}?", "Which of {{n?", "error.quiz.figure", "questions[0].stem.en"},
    {"Which of {{n}}?", "Which of n}}?", "error.quiz.figure", "questions[0].stem.en"},
    {"Which of {{n}}?", "Which of {{}}?", "error.quiz.figure", "questions[0].stem.en"},
    {"Which of {{n}}?", "Which of {{a b}}?", "error.quiz.figure", "questions[0].stem.en"},
    {"Which of {{n}}?", "{{n23456789_123456789_123456789_12}}", "error.quiz.figure",
     "questions[0].stem.en"},
    {"Which of {{n}}?", "Which of {{?}}?", "error.quiz.no_blank", "questions[0].stem.en"},
    {"\"stem\": {\"en\": \"How", "\"stem\": {\"fr\": \"x\", \"en\": \"How", "error.quiz.key",
     "questions[1].stem.fr"},
    {" \"stem\": {\"en\": \"How many?\", \"zh\": \"多少？\"},", "", "error.quiz.missing",
     "questions[1].stem"},
    {"{\"en\": \"How many?\", \"zh\": \"多少？\"}", "\"How many?\"", "error.quiz.object",
     "questions[1].stem"},
    /* Parts. */
    {"\n  {\"en\": \"two\"", "\n  4, {\"en\": \"two\"", "error.quiz.object",
     "questions[0].parts[1]"},
    {", \"why\": {\"en\": \"w\", \"zh\": \"因\"}", "", "error.quiz.missing",
     "questions[0].parts[0].why"},
    {"\"zh\": \"因\"", "\"zh\": \"\"", "error.quiz.text", "questions[0].parts[0].why.zh"},
    {"\"zh\": \"因\"", "\"cn\": \"因\"", "error.quiz.key", "questions[0].parts[0].why.cn"},
    {"\"right\": true, ", "", "error.quiz.right", "questions[0].parts"},
    {"\"right\": true", "\"right\": false", "error.quiz.right", "questions[0].parts"},
    {"\"right\": true", "\"right\": \"yes\"", "error.quiz.switch", "questions[0].parts[1].right"},
    {"\"zh\": \"三\"", "\"zh\": \"三\", \"right\": true", "error.quiz.right", "questions[0].parts"},
    {"\"en\": \"three\"", "\"en\": \"one\"", "error.quiz.same", "questions[0].parts[2]"},
    {"\"zh\": \"三\"", "\"zh\": \"一\"", "error.quiz.same", "questions[0].parts[2]"},
    {"{\"en\": \"one\", \"zh\": \"一\", \"why\": {\"en\": \"w\", \"zh\": \"因\"}},", "",
     "error.quiz.list", "questions[0].parts"},
    {"\"zh\": \"一\"", "\"zh\": \"一\", \"id\": \"x\"", "error.quiz.key",
     "questions[0].parts[0].id"},
    {"\"id\": \"other-way\", ", "", "error.quiz.missing", "questions[1].parts[0].id"},
    {"\"id\": \"other-way\"", "\"id\": \"other way\"", "error.quiz.id", "questions[1].parts[0].id"},
    {"\"zh\": \"漏了\"}",
     "\"zh\": \"漏了\"}, {\"id\": \"other-way\", \"en\": \"u\", \"zh\": \"乎\"}", "error.quiz.same",
     "questions[1].parts[1]"},
    {"\"zh\": \"漏了\"", "\"zh\": \"漏了\", \"right\": true", "error.quiz.key",
     "questions[1].parts[0].right"},
    {"{\"en\": \"q\", \"zh\": \"乙\"}, ", "", "error.quiz.list", "questions[2].parts"},
    {"a = {{?}} GB", "a = {{n}} GB", "error.quiz.blank", "questions[3].parts[0].en"},
    {"a = {{?}} GB", "{{?}} = {{?}} GB", "error.quiz.blank", "questions[3].parts[0].en"},
    {"乙 = {{?}}", "乙", "error.quiz.blank", "questions[3].parts[1].zh"},
    {", {\"en\": \"b = {{?}}\", \"zh\": \"乙 = {{?}}\"}", "", "error.quiz.list",
     "questions[3].parts"},
    {"\"zh\": \"子\"", "\"zh\": \"子\", \"why\": {\"en\": \"w\", \"zh\": \"因\"}", "error.quiz.key",
     "questions[4].parts[0].why"},
    {", {\"en\": \"g\", \"zh\": \"丑\"}", "", "error.quiz.list", "questions[4].parts"},
    /* What stands around them. */
    {" \"hints\": [{\"en\": \"look\", \"zh\": \"看\"}],", "", "error.quiz.missing",
     "questions[0].hints"},
    {"[{\"en\": \"look\", \"zh\": \"看\"}]", "[]", "error.quiz.list", "questions[0].hints"},
    {"[{\"en\": \"look\", \"zh\": \"看\"}]", "{\"en\": \"look\", \"zh\": \"看\"}",
     "error.quiz.list", "questions[0].hints"},
    {"{\"en\": \"then\", \"zh\": \"再\"}", "{\"en\": \"then\"}", "error.quiz.missing",
     "questions[1].hints[1].zh"},
    {"{\"en\": \"then\", \"zh\": \"再\"}",
     "{\"en\": \"2\", \"zh\": \"二\"}, {\"en\": \"3\", \"zh\": \"三\"}, {\"en\": \"4\", \"zh\": "
     "\"四\"}",
     "error.quiz.list", "questions[1].hints"},
    {" \"explain\": {\"en\": \"so\", \"zh\": \"所以\"},", "", "error.quiz.missing",
     "questions[0].explain"},
    {"\"en\": \"so\"", "\"en\": \"so {{\"", "error.quiz.figure", "questions[0].explain.en"},
    {", \"explain\": {\"en\": \"e\", \"zh\": \"解\"}}", "}", "error.quiz.missing",
     "questions[2].explain"},
    {",\n \"explain\": {\"en\": \"e\", \"zh\": \"解\"}}\n]", "}\n]", "error.quiz.missing",
     "questions[4].explain"},
    {"{\"en\": \"they say\", \"zh\": \"常说\"}", "{\"en\": \"they say\"}", "error.quiz.missing",
     "questions[0].said.zh"},
    {"\"zero.next\"", "\"memory.states.largest\"", "error.quiz.follow_self",
     "questions[0].follow[0]"},
    {"\"zero.next\"", "\"memory.bytes.number\"", "error.quiz.follow_twice",
     "questions[0].follow[1]"},
    {"\"zero.next\"", "\"Zero\"", "error.quiz.id", "questions[0].follow[0]"},
    {"\"zero.next\"", "null", "error.quiz.id", "questions[0].follow[0]"},
    {"[\"zero.next\", ", "[\"z.1\",\"z.2\",\"z.3\",\"z.4\",\"z.5\",\"z.6\",\"z.7\",\"z.8\",",
     "error.quiz.list", "questions[0].follow"},
    {"\"opens\": true", "\"opens\": 1", "error.quiz.switch", "questions[0].opens"},
    {"\"topic\": \"A4\",", "\"topic\": \"A4\", \"opens\": true,", "error.quiz.opens",
     "questions[1].opens"},
};

static void replace(const char *from, const char *to, char out[TEXT_MAX]) {
    const char *at = strstr(good, from);
    ck_assert_msg(at != NULL, "not in the good file: %s", from);
    int length = snprintf(out, TEXT_MAX, "%.*s%s%s", (int)(at - good), good, to, at + strlen(from));
    ck_assert_int_lt(length, TEXT_MAX);
}

START_TEST(a_planted_fault_is_refused_with_its_place) {
    char text[TEXT_MAX];
    const struct question *q = NULL;
    int count = 0;
    struct message why = {0};
    replace(faults[_i].from, faults[_i].to, text);
    ck_assert_int_eq(read_text(text, &q, &count, &why), STATUS_FAILED);
    ck_assert_msg(strcmp(why.id, faults[_i].message) == 0, "%s", why.id);
    ck_assert_str_eq(why.args[0].text, path);
    ck_assert_msg(strcmp(why.args[1].text, faults[_i].place) == 0, "%s", why.args[1].text);
    ck_assert_int_eq(count, 0);
}
END_TEST

static const struct {
    const char *text, *message;
    uint64_t line, column;
} syntax[] = {
    {"{\"questions\": [\n  {\"id\" \"x\"}]}", "error.json.syntax", 2, 9},
    {"{\"questions\": [\n", "error.json.end", 2, 1},
    {"{\"questions\": [\"a\tb\"]}", "error.json.control", 1, 18},
    {"{\n\xff}", "error.text.utf8", 2, 1},
};

START_TEST(what_is_no_json_is_refused_with_line_and_column) {
    const struct question *q = NULL;
    int count = 0;
    struct message why = {0};
    ck_assert_int_eq(read_text(syntax[_i].text, &q, &count, &why), STATUS_FAILED);
    ck_assert_str_eq(why.id, syntax[_i].message);
    ck_assert_uint_eq(why.args[1].count, syntax[_i].line);
    ck_assert_uint_eq(why.args[2].count, syntax[_i].column);
}
END_TEST

START_TEST(an_empty_list_is_no_quiz) {
    const struct question *q = NULL;
    int count = 0;
    struct message why = {0};
    ck_assert_int_eq(read_text("{\"questions\": []}", &q, &count, &why), STATUS_FAILED);
    ck_assert_str_eq(why.id, "error.quiz.list");
    ck_assert_int_eq(read_text("{}", &q, &count, &why), STATUS_FAILED);
    ck_assert_str_eq(why.id, "error.quiz.missing");
    ck_assert_int_eq(read_text("[]", &q, &count, &why), STATUS_FAILED);
    ck_assert_str_eq(why.id, "error.json.root");
}
END_TEST

/* --- Of a lesson --- */

static enum status read_lesson(const char *quiz, const char *id, const struct question **q,
                               int *count, struct message *why) {
    char assets[RUN_PATH_MAX], lessons[RUN_PATH_MAX], memory[RUN_PATH_MAX], file[RUN_PATH_MAX];
    const struct store_quiz asked = {"10_memory", id};
    struct store *s = NULL;
    ck_assert_int_eq(mkdir(folder_path(assets, folder, "assets"), 0777), 0);
    ck_assert_int_eq(mkdir(folder_path(lessons, folder, "lessons"), 0777), 0);
    ck_assert_int_eq(mkdir(folder_path(memory, lessons, "10_memory"), 0777), 0);
    if (quiz != NULL) {
        file_write(folder_path(file, memory, "quiz.json"), quiz, strlen(quiz));
    }
    ck_assert_int_eq(setenv("SHARDLAB_DATA", folder, 1), 0);
    ck_assert_int_eq(store_open(&s, why), STATUS_OK);
    enum status ok = store_questions(s, &asked, q, count, why);
    if (ok == STATUS_OK) { /* asked again, the same questions are there */
        const struct question *again = NULL;
        int more = -1;
        ck_assert_int_eq(store_questions(s, &asked, &again, &more, why), STATUS_OK);
        ck_assert_ptr_eq(again, *q);
        ck_assert_int_eq(more, *count);
    }
    store_close(store);
    store = s; /* which the questions live in */
    folder_remove(memory);
    folder_remove(lessons);
    folder_remove(assets);
    return ok;
}

START_TEST(a_lesson_without_the_file_has_no_questions) {
    const struct question *q = NULL;
    int count = -1;
    struct message why = {0};
    ck_assert_int_eq(read_lesson(NULL, "memory", &q, &count, &why), STATUS_OK);
    ck_assert_int_eq(count, 0);
}
END_TEST

START_TEST(questions_belong_to_the_lesson_of_the_folder) {
    const struct question *q = NULL;
    int count = -1;
    struct message why = {0};
    ck_assert_int_eq(read_lesson(good, "memory", &q, &count, &why), STATUS_OK);
    ck_assert_int_eq(count, QUESTION_KINDS);
    ck_assert_str_eq(q[4].lesson, "memory");
}
END_TEST

START_TEST(questions_of_another_lesson_are_refused) {
    const struct question *q = NULL;
    int count = -1;
    struct message why = {0};
    ck_assert_int_eq(read_lesson(good, "zero", &q, &count, &why), STATUS_FAILED);
    ck_assert_str_eq(why.id, "error.quiz.lesson");
    ck_assert_str_eq(why.args[1].text, "questions[0].id");
    ck_assert_str_eq(why.args[3].text, "zero");
}
END_TEST

/* --- Anything --- */

static void questions_check(const struct question *q, int count) {
    for (int i = 0; i < count; i++) {
        ck_assert(q[i].part_count >= 0 && q[i].part_count <= QUESTION_PARTS_MAX);
        ck_assert(strlen(q[i].stem[0]) > 0 && strlen(q[i].stem[1]) > 0);
        for (int p = 0; p < q[i].part_count; p++) {
            ck_assert(strlen(q[i].parts[p].text[0]) > 0 && strlen(q[i].parts[p].text[1]) > 0);
        }
    }
}

START_TEST(a_mangled_file_is_read_or_refused) {
    uint64_t seed = 20261130;
    int read = 0;
    static char text[TEXT_MAX];
    for (int round = 0; round < ROUNDS; round++) {
        if (round % ROUNDS_A_STORE == 0) {
            struct message why;
            store_close(store);
            ck_assert_int_eq(store_open(&store, &why), STATUS_OK);
        }
        const struct question *q = NULL;
        int count = 0;
        struct message why = {0};
        file_write(path, text, mangle_text(&seed, good, text, sizeof text));
        if (store_quiz_file(store, path, &q, &count, &why) == STATUS_OK) {
            questions_check(q, count);
            read++;
        } else {
            ck_assert_ptr_nonnull(why.id);
            ck_assert_str_eq(why.args[0].text, path);
        }
    }
    ck_assert_int_gt(read, 0);
    ck_assert_int_lt(read, ROUNDS);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("questions");
    TCase *t = tcase_create("files");
    tcase_add_checked_fixture(t, start, stop);
    tcase_add_test(t, a_good_file_is_read_as_it_is_written);
    tcase_add_test(t, what_a_kind_need_not_have_is_absent);
    tcase_add_loop_test(t, a_planted_fault_is_refused_with_its_place, 0,
                        (int)(sizeof faults / sizeof faults[0]));
    tcase_add_loop_test(t, what_is_no_json_is_refused_with_line_and_column, 0,
                        (int)(sizeof syntax / sizeof syntax[0]));
    tcase_add_test(t, an_empty_list_is_no_quiz);
    tcase_add_test(t, a_lesson_without_the_file_has_no_questions);
    tcase_add_test(t, questions_belong_to_the_lesson_of_the_folder);
    tcase_add_test(t, questions_of_another_lesson_are_refused);
    tcase_add_test(t, a_mangled_file_is_read_or_refused);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
