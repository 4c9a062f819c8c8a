#!/usr/bin/env bash
# The review of the questions has one row for each question, with a verdict, and none for a question that is gone: two
# rows of one question are what a merge of two readers leaves behind, and one of them is no longer true.
# shellcheck source=common.bash
. "$(dirname "$0")/common.bash"

# question_ids ROOT: a mistake's id has no point in it, a question's has.
question_ids() {
    cat "$1"/lessons/*/quiz.json | grep -o '"id": *"[^".]*\.[^"]*"' | sed 's/.*"\([^"]*\)"$/\1/' | sort
}

# check_review ROOT
check_review() {
    local review=tests/reviews/questions.md
    question_ids "$1" | awk -F' *[|] *' -v file="$review" '
        NR == FNR { known[$1] = 1; next }
        !/^\|/ || $2 == "item" || /^\|-/ { next }
        !($2 in known) { print file ":" FNR ": no question is called " $2 }
        $2 in row { print file ":" FNR ": " $2 " stands in line " row[$2] " already" }
        $4 == "" { print file ":" FNR ": " $2 " has no verdict" }
        { row[$2] = FNR }
        END {
            for (id in known) {
                if (!(id in row)) { print file ":1: nobody has read " id }
            }
        }' - "$1/$review"
}

plant lessons/10_one/quiz.json <<<'{"questions":[{"id":"one.a", "parts":[{"id":"half"}]}, {"id": "one.b"}]}'
plant tests/reviews/questions.md <<<$'| item | checked | verdict |\n|---|---|---|\n| one.a | x | ok |\n| one.b | y | ok |'
must_pass check_review "$arch_scratch"
plant tests/reviews/questions.md <<<$'| one.a | x | ok |\n| one.a | y | changed |\n| one.c | z | |'
must_find 'questions.md:2: one.a stands in line 1 already' check_review "$arch_scratch"
must_find 'questions.md:3: no question is called one.c' check_review "$arch_scratch"
must_find 'questions.md:3: one.c has no verdict' check_review "$arch_scratch"
must_find 'questions.md:1: nobody has read one.b' check_review "$arch_scratch"

settle check_review "$arch_root"
