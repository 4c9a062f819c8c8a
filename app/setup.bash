# What app/start, tests/run and .ci/run share: the Debian packages, how to install them, and sentences in the
# reader's language. Meant to be sourced; it does nothing by itself.
# shellcheck shell=bash
# shellcheck disable=SC2034

packages_build='gcc libc6-dev make cmake ninja-build pkg-config libncurses-dev libcjson-dev libmd4c-dev libunibreak-dev libsqlite3-dev'
packages_test='check libsubunit-dev libvterm-dev tmux locales iproute2 libopenmpi-dev openmpi-bin ocl-icd-libopencl1 pocl-opencl-icd'
packages_ci='clang clang-format clang-tidy shellcheck'

setup_locale=${LC_ALL:-${LC_MESSAGES:-${LANG:-}}}

# say ENGLISH CHINESE: one sentence on standard error.
say() {
    case $setup_locale in
        zh*) printf 'shardlab：%s\n' "$2" >&2 ;;
        *) printf 'shardlab: %s\n' "$1" >&2 ;;
    esac
}

# packages_missing NAME...: those that are not installed. Prints nothing where there is no dpkg: there CMake says
# what it misses.
packages_missing() {
    command -v dpkg-query >/dev/null 2>&1 || return 0
    local name
    for name in "$@"; do
        [ "$(dpkg-query -W -f='${db:Status-Status}' "$name" 2>/dev/null)" = installed ] || printf '%s\n' "$name"
    done
}

# setup_apt COMMAND...: apt-get without questions, by the prefix that packages_install found. It waits for another
# apt-get, and never reads from the terminal.
setup_apt() {
    "${setup_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=300 "$@" </dev/null
}

# packages_install LOG NAME...: installs what is missing, or names the line that would. What apt-get says goes to
# LOG. The list of packages is fetched when there is none yet, and again when it proves stale.
packages_install() {
    local log=$1 missing=()
    shift
    mapfile -t missing < <(packages_missing "$@")
    [ "${#missing[@]}" -gt 0 ] || return 0
    setup_root=()
    if [ "$(id -u)" -ne 0 ]; then
        if ! sudo -n true 2>/dev/null; then
            say "these packages are missing; install them and try again:" "缺少以下软件包，请先安装再重试："
            printf '    sudo apt-get install --no-install-recommends %s\n' "${missing[*]}" >&2
            return 1
        fi
        setup_root=(sudo -n)
    fi
    [ -t 2 ] && say "installing: ${missing[*]}" "正在安装：${missing[*]}"
    if ! compgen -G '/var/lib/apt/lists/*_Packages*' >/dev/null; then
        setup_apt update >>"$log" 2>&1
    fi
    setup_apt install --no-install-recommends "${missing[@]}" >>"$log" 2>&1 && return 0
    setup_apt update >>"$log" 2>&1
    setup_apt install --no-install-recommends "${missing[@]}" >>"$log" 2>&1 && return 0
    tail -n 20 "$log" >&2
    say "the packages could not be installed; the line was:" "软件包安装失败，所用命令为："
    printf '    apt-get install --no-install-recommends %s\n' "${missing[*]}" >&2
    return 1
}

# setup_build_tools: Ninja where it is installed, and every core.
setup_build_tools() {
    if command -v ninja >/dev/null 2>&1; then
        export CMAKE_GENERATOR=Ninja
    fi
    CMAKE_BUILD_PARALLEL_LEVEL=$(nproc)
    export CMAKE_BUILD_PARALLEL_LEVEL
}
