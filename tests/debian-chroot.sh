#!/bin/bash
# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Build (or reuse) a minimal Debian chroot holding another Wireshark release's
# development files, and run commands in it, so that one machine can build and
# test the plugin against several Wireshark versions.

set -euo pipefail
self=${0##*/}

usage() {
    cat <<EOT
usage: $self --sources SUITE
       $self SUITE DIR [PACKAGE...]
       $self SUITE DIR [PACKAGE...] [--src S] [--build B] [--env K=V]... --run CMD [ARG...]

The first form prints the suite's lines for sources.list.
The second form makes the chroot DIR for a Debian SUITE (bookworm, trixie, sid,
...) with what a Wireshark plugin needs to build and run, plus each PACKAGE.
A chroot that is already there is kept, and only missing packages are added.
The third form does the same and then runs CMD in it, its working directory
/build if --build was given, else /src, else /.

  --src S     directory S appears in the chroot as /src, read-only
  --build B   directory B appears as /build, writable (made if missing)
  --env K=V   set K in CMD's environment, which is otherwise a clean one
  --run       everything after it is the command; its exit status is ours
  -h, --help  this text

The package mirror is the one this machine's own apt uses. All but the first form
need root and the mmdebstrap package. Mounts live in a private mount namespace, so they end
with the command, whatever ends it. To throw a chroot away: rm -rf DIR.
Exit status: CMD's, or 64 usage, 69 something missing, 70 the work failed.
EOT
}
die() { local rc=$1; shift; printf '%s: %s\n' "$self" "$*" >&2; exit "$rc"; }
say() { printf '%s: %s\n' "$self" "$*" >&2; }

base_packages=(ca-certificates cmake g++ gcc libglib2.0-dev ninja-build
               libzstd-dev pkg-config tshark wireshark-common wireshark-dev zlib1g-dev)

# ---- the command line -------------------------------------------------------
positional=() envs=() cmd=() src='' build='' run=no sources_only=no
if [[ ${1-} == --sources && $# -eq 2 ]]; then
    sources_only=yes
    set -- "$2" /nonexistent
fi
while (($#)); do
    case $1 in
        -h|--help) usage; exit 0 ;;
        --src|--build|--env)
            (($# >= 2)) || die 64 "$1 needs a value"
            case $1 in
                --src) src=$2 ;;
                --build) build=$2 ;;
                --env) [[ $2 == [A-Za-z_]*=* ]] || die 64 "--env wants K=V, not '$2'"
                       envs+=("$2") ;;
            esac
            shift 2 ;;
        --run) run=yes; shift; cmd=("$@"); break ;;
        -*) die 64 "unknown option '$1' (try --help)" ;;
        *) positional+=("$1"); shift ;;
    esac
done
((${#positional[@]} >= 2)) || { usage >&2; exit 64; }
suite=${positional[0]} dir=${positional[1]} extra=("${positional[@]:2}")
[[ $suite =~ ^[a-z][a-z0-9-]*$ ]] || die 64 "'$suite' is not a suite name"
for p in ${extra[@]+"${extra[@]}"}; do
    [[ $p =~ ^[a-z0-9][a-z0-9+.:-]+$ ]] || die 64 "'$p' is not a package name"
done
[[ $run == no || ${#cmd[@]} -gt 0 ]] || die 64 "--run needs a command"
dir=$(realpath -m -- "$dir")
[[ $dir != / ]] || die 64 "DIR may not be /"
[[ -z $src || -d $src ]] || die 64 "--src: no directory '$src'"
[[ -z $src ]] || src=$(realpath -- "$src")
[[ -z $build ]] || build=$(realpath -m -- "$build")

# Prints the sources.list lines for $suite, from the repositories apt knows.
sources() {
    local main_uri sec_uri
    main_uri=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' \
               'Origin: Debian' 'Label: Debian' 2>/dev/null | sort -u | head -n1)
    if [[ -z $main_uri ]]; then   # no lists fetched yet: read the configuration
        main_uri=$({ grep -hE '^URIs:' /etc/apt/sources.list.d/*.sources
                     grep -hE '^deb ' /etc/apt/sources.list /etc/apt/sources.list.d/*.list; } 2>/dev/null |
                   grep -oE '[a-z+]+:[^ ]*/debian/?( |$)' | tr -d ' ' | head -n1 || true)
    fi
    [[ -n $main_uri ]] || return 1
    printf 'deb %s %s main\n' "$main_uri" "$suite"
    case $suite in
        sid|unstable|testing|experimental|*-*) return 0 ;;
    esac
    printf 'deb %s %s-updates main\n' "$main_uri" "$suite"
    sec_uri=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' \
              'Origin: Debian' 'Label: Debian-Security' 2>/dev/null | sort -u | head -n1)
    [[ -z $sec_uri ]] || printf 'deb %s %s-security main\n' "$sec_uri" "$suite"
}

if [[ $sources_only == yes ]]; then
    sources || die 69 "found no Debian repository in this machine's apt configuration"
    exit 0
fi

((EUID == 0)) || die 69 "must run as root (chroot and mount need it)"
for t in mmdebstrap unshare setpriv chroot flock apt-get apt-config; do
    command -v "$t" >/dev/null || die 69 "'$t' not found (apt-get install mmdebstrap util-linux)"
done
unshare --mount --propagation private -- true 2>/dev/null ||
    die 69 "cannot make a mount namespace (needs CAP_SYS_ADMIN: a privileged container or a VM)"

# ---- inside the chroot ------------------------------------------------------
# enter NET CMD...: run CMD in $dir, in fresh mount and pid namespaces.
enter() {
    local net=$1 rc=0; shift
    NET=$net SRC=$src BUILD=$build setpriv --pdeathsig KILL unshare --mount --pid --fork --kill-child \
        --propagation private -- bash -euc '
        d=$1; shift
        [ -L "$d/proc" ] || mount -t proc proc "$d/proc"
        mount --rbind /dev "$d/dev"
        mount -t sysfs -o ro sysfs "$d/sys" 2>/dev/null || true
        mount -t tmpfs -o mode=1777 tmpfs "$d/tmp"
        if [ "$NET" = yes ]; then
            for f in /etc/resolv.conf /etc/hosts; do
                [ -f "$f" ] || continue
                [ -e "$d$f" ] || : > "$d$f"
                [ -L "$d$f" ] || mount --bind "$(realpath "$f")" "$d$f"
            done
        fi
        where=/
        if [ -n "$SRC" ]; then
            mkdir -p "$d/src"; mount --bind "$SRC" "$d/src"
            mount -o remount,bind,ro "$d/src"; where=/src
        fi
        if [ -n "$BUILD" ]; then
            mkdir -p "$d/build"; mount --bind "$BUILD" "$d/build"; where=/build
        fi
        unset NET SRC BUILD
        # The shell stays as pid 1, so that the command dies of signals as usual.
        exec chroot "$d" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin \
            HOME=/tmp LANG=C.UTF-8 LC_ALL=C.UTF-8 TERM="${TERM:-dumb}" \
            DEBIAN_FRONTEND=noninteractive \
            /bin/sh -c "cd \"\$0\" && \"\$@\"; exit \$?" "$where" "$@"
        ' bash "$dir" "$@" <&0 &
    # Waiting in the background lets a signal to this script end the command too.
    local child=$!
    trap 'kill -KILL $child 2>/dev/null; exit 143' TERM
    trap 'kill -KILL $child 2>/dev/null; exit 130' INT
    trap 'kill -KILL $child 2>/dev/null; exit 129' HUP
    wait "$child" || rc=$?
    trap - TERM INT HUP
    return "$rc"
}

missing_packages() {   # names of those of "$@" that the chroot lacks
    local p st
    for p; do
        st=$(dpkg-query --admindir="$dir/var/lib/dpkg" -W -f '${db:Status-Status}' "$p" 2>/dev/null || true)
        [[ $st == installed ]] || printf '%s\n' "$p"
    done
}

# ---- make it ----------------------------------------------------------------
create() {
    local part=$dir.partial list opts=() k v all
    all=("${base_packages[@]}" ${extra[@]+"${extra[@]}"})
    list=$(sources) || die 69 "found no Debian repository in this machine's apt configuration"
    # A proxy, or a frozen mirror's validity setting, must hold for the new apt too.
    for k in Acquire::http::Proxy Acquire::https::Proxy Acquire::Check-Valid-Until; do
        eval "$(apt-config shell v "$k")"
        [[ -z ${v-} ]] || opts+=(--aptopt="$k \"$v\"")
        v=
    done
    rm -rf --one-file-system -- "$part"
    mkdir -p -- "${dir%/*}"
    local start=$SECONDS log=$dir.log
    say "making $suite in $dir ..."
    if ! printf '%s\n' "$list" | mmdebstrap --mode=root --variant=apt --format=directory \
            --verbose --include="$(IFS=,; printf '%s' "${all[*]}")" \
            --aptopt='APT::Install-Recommends "false"' \
            --dpkgopt='path-exclude=/usr/share/man/*' \
            --dpkgopt='path-exclude=/usr/share/locale/*' \
            ${opts[@]+"${opts[@]}"} "$suite" "$part" - >"$log" 2>&1; then
        grep -E '^(E|W|Err|error):? ' "$log" | tail -n 8 | sed -E 's#[a-z+]+://[^/ ]+#<mirror>#g' >&2 || true
        rm -rf --one-file-system -- "$part"
        die 70 "mmdebstrap failed for $suite; full log: $log"
    fi
    printf '%s\n' "$suite" > "$part/.wireshark-chroot"
    # An empty DIR that was there may be replaced; anything else was refused above.
    [[ ! -d $dir ]] || rmdir -- "$dir"
    mv -T -- "$part" "$dir"
    local need
    need=$(grep -aoE 'Need to get [0-9.,]+ [kMG]?B' "$log" | sed 's/Need to get //' | paste -sd+ | sed 's/+/ + /g')
    say "made in $((SECONDS - start)) s; downloaded ${need:-?}; on disk $(du -sxh -- "$dir" | cut -f1)"
    rm -f -- "$log"
}

mkdir -p -- "${dir%/*}"
exec 9> "$dir.lock"
flock -w 1800 9 || die 70 "another run has held $dir.lock for 30 minutes"

if [[ -f $dir/.wireshark-chroot ]]; then
    have=$(<"$dir/.wireshark-chroot")
    [[ $have == "$suite" ]] || die 64 "$dir holds '$have', not '$suite'"
    mapfile -t lacking < <(missing_packages "${base_packages[@]}" ${extra[@]+"${extra[@]}"})
    if ((${#lacking[@]})); then
        say "adding ${lacking[*]} ..."
        (src='' build=''
         enter yes sh -c 'apt-get -qq update && apt-get -qq -y --no-install-recommends install "$@" >/tmp/log 2>&1 ||
                          { tail -n 20 /tmp/log; exit 1; }' sh "${lacking[@]}" 2>&1 |
            sed -E 's#[a-z+]+://[^/ ]+#<mirror>#g' >&2) ||
            die 70 "could not add packages to $dir"
    fi
else
    if [[ -e $dir ]]; then
        [[ -d $dir && -z $(ls -A -- "$dir") ]] ||
            die 64 "$dir exists, is not empty and was not made by $self: will not touch it"
    fi
    create
fi
flock -u 9; exec 9>&-

if [[ $run == yes ]]; then
    [[ -z $build ]] || mkdir -p -- "$build"
    cmd_env=(env ${envs[@]+"${envs[@]}"})
    rc=0
    enter no "${cmd_env[@]}" "${cmd[@]}" || rc=$?
    exit "$rc"
fi
