/* Writes down every change to files below POWER_ROOT, in order, into the file POWER_LOG.

   A record is a line of words, and after `write` the bytes.  Files and folders go by their inode.

       create FOLDER INODE d|f NAME      remove FOLDER NAME      rename FOLDER TO NAME/NEW
       write INODE OFFSET COUNT          size INODE BYTES        sync INODE        mark TEXT

   Loaded with LD_PRELOAD.  The real call and its record happen under one lock, so the order of
   the records is the order of the changes, whatever threads there are.
*/
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define LONGEST 4096

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static __thread int inside = 0;
static int out = -1;

static void put(const void *bytes, size_t count) {
    ssize_t (*real)(int, const void *, size_t) = REAL(write);
    for (const char *at = bytes; count > 0;) {
        ssize_t done = real(out, at, count);
        if (done <= 0) abort(); /* a gap in the record would make the test mean nothing */
        at += done;
        count -= done;
    }
}

static void say(const char *format, ...) {
    char line[3 * LONGEST];
    va_list words;
    va_start(words, format);
    int count = vsnprintf(line, sizeof line, format, words);
    va_end(words);
    put(line, count);
}

static int watched(const char *path) {
    const char *root = getenv("POWER_ROOT");
    size_t length = root ? strlen(root) : 0;
    return length && !strncmp(path, root, length) && (path[length] == '/' || !path[length]);
}

static int begin(void) {
    if (inside || !getenv("POWER_LOG") || !getenv("POWER_ROOT")) return 0;
    inside = 1;
    pthread_mutex_lock(&turn);
    if (out < 0) {
        int (*real)(const char *, int, ...) = REAL(open);
        out = real(getenv("POWER_LOG"), O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0600);
        if (out < 0) abort();
    }
    return 1;
}

static void end(int begun) {
    if (!begun) return;
    int kept = errno;
    pthread_mutex_unlock(&turn);
    inside = 0;
    errno = kept;
}

/* The inode behind a descriptor, or 0 if it is none of ours. */
static unsigned long inode_of(int fd) {
    char link[64], path[LONGEST];
    struct stat about;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t count = readlink(link, path, sizeof path - 1);
    if (count <= 0) return 0;
    path[count] = 0;
    if (!watched(path) || fstat(fd, &about)) return 0;
    return S_ISREG(about.st_mode) || S_ISDIR(about.st_mode) ? about.st_ino : 0;
}

/* The folder and the last name of a path; 0 if the folder is none of ours. */
static unsigned long folder_of(int base, const char *path, const char **name) {
    static __thread char text[LONGEST], real_path[LONGEST];
    snprintf(text, sizeof text, "%s", path);
    for (size_t last = strlen(text); last > 1 && text[last - 1] == '/';) text[--last] = 0;
    char *slash = strrchr(text, '/');
    *name = slash ? slash + 1 : text;
    if (slash) *slash = 0;
    const char *folder = !slash ? "." : slash == text ? "/" : text;
    int (*real)(int, const char *, int, ...) = REAL(openat);
    int fd = real(base, folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return 0;
    char link[64];
    struct stat about;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t count = readlink(link, real_path, sizeof real_path - 1);
    if (count > 0) real_path[count] = 0;
    unsigned long found = count > 0 && watched(real_path) && !fstat(fd, &about) ? about.st_ino : 0;
    close(fd);
    return found;
}

static int there(int base, const char *path, struct stat *about) {
    return !fstatat(base, path, about, AT_SYMLINK_NOFOLLOW);
}

static void created(int base, const char *path) {
    const char *name;
    struct stat about;
    unsigned long folder = folder_of(base, path, &name);
    if (folder && there(base, path, &about))
        say("create %lu %lu %c %s\n", folder, (unsigned long)about.st_ino,
            S_ISDIR(about.st_mode) ? 'd' : 'f', name);
}

static int opened(int base, const char *path, int flags, mode_t mode) {
    int (*real)(int, const char *, int, ...) = REAL(openat);
    if (!(flags & (O_CREAT | O_TRUNC))) return real(base, path, flags, mode);
    int begun = begin();
    struct stat about;
    int before = begun && there(base, path, &about);
    int fd = real(base, path, flags, mode);
    if (begun && fd >= 0) {
        unsigned long inode = inode_of(fd);
        if (inode && !before) created(base, path);
        else if (inode && flags & O_TRUNC) say("size %lu 0\n", inode);
    }
    end(begun);
    return fd;
}

#define MODE                                          \
    mode_t mode = 0;                                  \
    if (flags & (O_CREAT | __O_TMPFILE)) {            \
        va_list words;                                \
        va_start(words, flags);                       \
        mode = va_arg(words, mode_t);                 \
        va_end(words);                                \
    }

int open(const char *path, int flags, ...) { MODE return opened(AT_FDCWD, path, flags, mode); }
int open64(const char *path, int flags, ...) { MODE return opened(AT_FDCWD, path, flags | O_LARGEFILE, mode); }
int openat(int base, const char *path, int flags, ...) { MODE return opened(base, path, flags, mode); }
int openat64(int base, const char *path, int flags, ...) { MODE return opened(base, path, flags | O_LARGEFILE, mode); }

static void wrote(int begun, int fd, const void *bytes, ssize_t count, off_t offset) {
    unsigned long inode = begun && count > 0 ? inode_of(fd) : 0;
    if (!inode) return;
    if (offset < 0) offset = lseek(fd, 0, SEEK_CUR) - count; /* also right after O_APPEND */
    say("write %lu %lld %zd\n", inode, (long long)offset, count);
    put(bytes, count);
}

ssize_t write(int fd, const void *bytes, size_t count) {
    int begun = begin();
    ssize_t done = REAL(write)(fd, bytes, count);
    wrote(begun, fd, bytes, done, -1);
    end(begun);
    return done;
}

ssize_t pwrite(int fd, const void *bytes, size_t count, off_t offset) {
    int begun = begin();
    ssize_t done = REAL(pwrite)(fd, bytes, count, offset);
    wrote(begun, fd, bytes, done, offset);
    end(begun);
    return done;
}

ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t offset) {
    return pwrite(fd, bytes, count, offset);
}

static void resized(int begun, int fd, int failed, off_t size) {
    unsigned long inode = begun && !failed ? inode_of(fd) : 0;
    if (inode) say("size %lu %lld\n", inode, (long long)size);
}

int ftruncate(int fd, off_t size) {
    int begun = begin();
    int failed = REAL(ftruncate)(fd, size);
    resized(begun, fd, failed, size);
    end(begun);
    return failed;
}

int ftruncate64(int fd, off64_t size) { return ftruncate(fd, size); }

static int removed(int base, const char *path, int flags) {
    const char *name;
    int begun = begin();
    unsigned long folder = begun ? folder_of(base, path, &name) : 0;
    int failed = REAL(unlinkat)(base, path, flags);
    if (folder && !failed) say("remove %lu %s\n", folder, name);
    end(begun);
    return failed;
}

int unlink(const char *path) { return removed(AT_FDCWD, path, 0); }
int rmdir(const char *path) { return removed(AT_FDCWD, path, AT_REMOVEDIR); }
int unlinkat(int base, const char *path, int flags) { return removed(base, path, flags); }
int remove(const char *path) {
    struct stat about;
    return removed(AT_FDCWD, path, there(AT_FDCWD, path, &about) && S_ISDIR(about.st_mode) ? AT_REMOVEDIR : 0);
}

static int moved(int from_base, const char *from, int to_base, const char *to, unsigned flags) {
    const char *name;
    char old[LONGEST];
    int begun = begin();
    unsigned long source = begun ? folder_of(from_base, from, &name) : 0;
    if (source) snprintf(old, sizeof old, "%s", name);
    int failed = REAL(renameat2)(from_base, from, to_base, to, flags);
    unsigned long target = begun && !failed ? folder_of(to_base, to, &name) : 0;
    if (source && target) say("rename %lu %lu %s/%s\n", source, target, old, name);
    else if (!failed && (source || target)) abort(); /* across the border: not in our worlds */
    end(begun);
    return failed;
}

int rename(const char *from, const char *to) { return moved(AT_FDCWD, from, AT_FDCWD, to, 0); }
int renameat(int a, const char *from, int b, const char *to) { return moved(a, from, b, to, 0); }
int renameat2(int a, const char *from, int b, const char *to, unsigned flags) { return moved(a, from, b, to, flags); }

static int linked(int from_base, const char *from, int to_base, const char *to, int flags) {
    const char *name;
    struct stat about;
    int begun = begin();
    int failed = REAL(linkat)(from_base, from, to_base, to, flags);
    unsigned long folder = begun && !failed ? folder_of(to_base, to, &name) : 0;
    if (folder && there(to_base, to, &about))
        say("link %lu %lu %s\n", folder, (unsigned long)about.st_ino, name);
    end(begun);
    return failed;
}

int link(const char *from, const char *to) { return linked(AT_FDCWD, from, AT_FDCWD, to, 0); }
int linkat(int a, const char *from, int b, const char *to, int flags) { return linked(a, from, b, to, flags); }

int mkdirat(int base, const char *path, mode_t mode) {
    int begun = begin();
    int failed = REAL(mkdirat)(base, path, mode);
    if (begun && !failed) created(base, path);
    end(begun);
    return failed;
}

int mkdir(const char *path, mode_t mode) { return mkdirat(AT_FDCWD, path, mode); }

static int synced(int fd, int (*real)(int)) {
    int begun = begin();
    int failed = real(fd);
    unsigned long inode = begun && !failed ? inode_of(fd) : 0;
    if (inode) say("sync %lu\n", inode);
    end(begun);
    return failed;
}

int fsync(int fd) { return synced(fd, REAL(fsync)); }
int fdatasync(int fd) { return synced(fd, REAL(fdatasync)); }

/* For the program under test: what it knows to be done by now. */
void power_mark(const char *text) {
    int begun = begin();
    if (begun) say("mark %s\n", text);
    end(begun);
}
