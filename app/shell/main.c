/* main: the command line, or the terminal application. The only place that ends the process. Proof:
 * tests/tty/test_program.c. */
#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "shardlab/cli/cli.h"
#include "shardlab/shell/app.h"
#include "shardlab/shell/loop.h"
#include "shardlab/store/store.h"
#include "shardlab/term/term.h"

/* One sentence on stderr, in the learner's language where the words can be read. */
static int fail(const struct cli_screen *screen, const struct message *why, int status) {
    struct store *store = NULL;
    struct words words = {0};
    struct message ignored;
    if (store_open(&store, &ignored) == STATUS_OK &&
        store_words(store, screen->chinese, &words, &ignored) != STATUS_OK) {
        words.book = NULL;
    }
    cli_error_print(&words, NULL, why);
    store_close(store);
    return status;
}

/* A UTF-8 locale if there is any; false: the screen keeps to ASCII and English. */
static bool utf8_locale(void) {
    if (setlocale(LC_ALL, "") != NULL && strcmp(nl_langinfo(CODESET), "UTF-8") == 0) {
        return true;
    }
    return setlocale(LC_CTYPE, "C.UTF-8") != NULL && strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

static int run_screens(const struct cli_screen *screen, bool utf8) {
    struct term *term = NULL;
    struct app *app = NULL;
    struct message why = {0};
    const char *no_color = getenv("NO_COLOR");
    bool mono = screen->mono || (no_color != NULL && no_color[0] != '\0');
    struct app_options app_options = {.chinese = screen->chinese && utf8,
                                      .ascii = screen->ascii || !utf8,
                                      .ambiguous_wide = screen->ambiguous_wide};
    struct term_options term_options = {!mono, screen->ambiguous_wide};
    enum status ok = app_new(&app, &app_options, &why);
    if (ok == STATUS_OK && screen->still) {
        app_motion_reduce(app);
    }
    if (ok == STATUS_OK) {
        ok = term_open(&term, &term_options, &why);
    }
    if (ok != STATUS_OK) {
        app_free(app);
        return fail(screen, &why, (int)ok);
    }
    int signal = loop_run(app, term, screen->ambiguous_wide, &why);
    term_close(term);
    app_free(app);
    if (signal != 0) {
        term_raise(signal);
    }
    return why.id != NULL ? fail(screen, &why, STATUS_FAILED) : STATUS_OK;
}

int main(int argc, char **argv) {
    struct cli_screen screen;
    bool utf8 = utf8_locale();
    setlocale(LC_NUMERIC, "C"); /* digits and points are the program's own */
    int status = cli_run(argc, argv, &screen);
    return screen.wanted ? run_screens(&screen, utf8) : status;
}
