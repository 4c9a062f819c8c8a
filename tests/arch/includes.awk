# Reads C files and reports every #include that crosses a border; see includes.sh. `table` is borders.txt.
# Plain awk, as Debian's mawk has it.

function names(text, into, parts, n, i) {
    n = split(text, parts, " ")
    for (i = 1; i <= n; i++) into[parts[i]] = 1
}

# What `room` sees through the rooms that it links, itself included.
function reach(room, from, parts, n, i) {
    if ((from, room) in sees) return
    sees[from, room] = 1
    n = split(links[room], parts, " ")
    for (i = 1; i <= n; i++) if (parts[i] in links) reach(parts[i], from)
}

function room_of(path, parts) {
    split(path, parts, "/")
    if (parts[1] == "lessons") return "lessons"
    if (parts[1] == "app") return parts[2]
    return parts[3] == "lesson" ? "lessons" : parts[3]
}

# The foreign library whose header this is, or "".
function library_of(header) {
    if (header ~ /^(ncursesw\/|ncurses\/)?(curses|ncurses|panel|term)\.h$/) return "ncursesw"
    if (header ~ /^dlfcn\.h$/) return "dl"
    if (header ~ /^mpi\.h$/) return "mpi"
    if (header ~ /^(pthread|semaphore)\.h$/) return "threads"
    if (header ~ /^(cjson\/)?cJSON(_Utils)?\.h$/) return "cjson"
    if (header ~ /^md4c(-html)?\.h$/) return "md4c"
    if (header ~ /^sqlite3\.h$/) return "sqlite"
    if (header ~ /^(linebreak|linebreakdef|graphemebreak|wordbreak|unibreakbase|unibreakdef)\.h$/) return "unibreak"
    return ""
}

function say(what) {
    print FILENAME ":" FNR ": " what
}

function exists(path, line, answer) {
    answer = (getline line < path) >= 0
    close(path)
    return answer
}

function check_system(header, library) {
    library = library_of(header)
    if (library == "mpi" && FILENAME ~ /^app\/ranks\/mpi\//) return # the module, which no room links
    if (library != "") {
        if (index(" " links[room] " ", " " library " ") == 0) say(room " may not use " library " (<" header ">)")
    } else if (header in pure_header) {
        return
    } else if (room in pure) {
        say("<" header "> has no place in a pure room (" room ")")
    } else if (!(header in system_header)) {
        say("<" header "> is not on the list of system headers")
    }
}

function check_own(header, parts, used, folder) {
    if (header ~ /^shardlab\/[a-z]+\/[a-z0-9_]+\.h$/) {
        split(header, parts, "/")
        used = parts[2] == "lesson" ? "lessons" : parts[2]
        if (!((room, used) in sees)) say(room " may not use " used " (\"" header "\")")
        return
    }
    folder = FILENAME
    sub(/[^\/]*$/, "", folder)
    # The lessons share one private header above their folders.
    if (room == "lessons" && folder ~ /^lessons\/.+\/$/ && header ~ /^\.\.\/[a-z0-9_]+_private\.h$/) {
        sub(/[^\/]+\/$/, "", folder)
        sub(/^\.\.\//, "", header)
    }
    if (header !~ /^[a-z0-9_]+_private\.h$/) {
        say("\"" header "\" is neither \"shardlab/ROOM/NAME.h\" nor a private header \"NAME_private.h\"")
    } else if (FILENAME ~ /^include\// || !exists(folder header)) {
        say("\"" header "\" does not stand where private headers do")
    }
}

BEGIN {
    while ((getline line < table) > 0) {
        if (line ~ /^#/ || line !~ /[a-z]/) continue
        split(line, words, " ")
        first = words[1]
        sub(/^[a-z]+ */, "", line)
        links[first] = line
    }
    for (name in links) reach(name, name)
    names("base calc learn view ui lessons", pure)
    names("assert.h ctype.h errno.h float.h inttypes.h limits.h math.h stdarg.h stdbool.h stddef.h stdint.h " \
          "stdio.h stdlib.h string.h stdnoreturn.h", pure_header)
    names("dirent.h emmintrin.h immintrin.h fcntl.h langinfo.h libgen.h locale.h poll.h pwd.h setjmp.h signal.h spawn.h strings.h " \
          "linux/futex.h sched.h stdatomic.h sys/ioctl.h sys/mman.h sys/prctl.h sys/resource.h sys/select.h sys/stat.h sys/statvfs.h sys/syscall.h sys/time.h sys/types.h sys/utsname.h " \
          "sys/wait.h termios.h time.h unistd.h wchar.h wctype.h", system_header)
}

FNR == 1 {
    room = room_of(FILENAME)
    if (!(room in links)) say("there is no room of the name \"" room "\"")
}

/^[ \t]*#[ \t]*include/ {
    header = $0
    if (header ~ /<[^>]*>/) {
        sub(/^[^<]*</, "", header)
        sub(/>.*$/, "", header)
        check_system(header)
    } else if (header ~ /"[^"]*"/) {
        sub(/^[^"]*"/, "", header)
        sub(/".*$/, "", header)
        check_own(header)
    } else {
        say("an #include that cannot be read: " header)
    }
}
