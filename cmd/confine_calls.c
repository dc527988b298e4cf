/*
 * A list of calls refused, not of those allowed: what gRPC core, libuv and the
 * C library call changes with their versions, and a call missing from a list
 * of allowed ones would be found in production.  clone3 is said to be unknown,
 * so that the C library uses clone, whose flags a filter can see.
 */
#include "cmd/confine_calls.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define OWN_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define OWN_ARCH AUDIT_ARCH_AARCH64
#endif

#ifdef OWN_ARCH

static const long refused[] = {
    /* into other processes */
    SYS_ptrace,
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    SYS_kcmp,
    SYS_pidfd_getfd,
    SYS_move_pages,
    SYS_migrate_pages,
    /* file systems */
    SYS_mount,
    SYS_umount2,
    SYS_move_mount,
    SYS_open_tree,
    SYS_fsopen,
    SYS_fsconfig,
    SYS_fsmount,
    SYS_fspick,
    SYS_mount_setattr,
    SYS_pivot_root,
    SYS_chroot,
    SYS_swapon,
    SYS_swapoff,
    SYS_quotactl,
    SYS_acct,
    SYS_mknodat,
    SYS_open_by_handle_at,
    SYS_name_to_handle_at,
    /* the kernel itself */
    SYS_reboot,
    SYS_kexec_load,
    SYS_init_module,
    SYS_finit_module,
    SYS_delete_module,
    SYS_bpf,
    SYS_perf_event_open,
    SYS_userfaultfd,
    SYS_io_uring_setup,
    SYS_io_uring_enter,
    SYS_io_uring_register,
    SYS_syslog,
    SYS_personality,
    SYS_vhangup,
    /* keys, namespaces, users, the clock, the machine's name */
    SYS_add_key,
    SYS_request_key,
    SYS_keyctl,
    SYS_unshare,
    SYS_setns,
    SYS_setuid,
    SYS_setgid,
    SYS_setreuid,
    SYS_setregid,
    SYS_setresuid,
    SYS_setresgid,
    SYS_setgroups,
    SYS_capset,
    SYS_settimeofday,
    SYS_clock_settime,
    SYS_clock_adjtime,
    SYS_adjtimex,
    SYS_sethostname,
    SYS_setdomainname,
#ifdef __x86_64__
    SYS_iopl,
    SYS_ioperm,
    SYS_modify_ldt,
    SYS_mknod,
    SYS_kexec_file_load,
#endif
};

enum { RULES_MAX = 200, NEW_NAMESPACES = 0x7e020000, X32_BIT = 0x40000000 };

struct filter {
    struct sock_filter rules[RULES_MAX];
    unsigned short len;
};

static void
add(struct filter *f, uint16_t code, uint32_t k, uint8_t yes, uint8_t no)
{
    if (f->len < RULES_MAX)
        f->rules[f->len++] = (struct sock_filter){code, yes, no, k};
}

static void
load(struct filter *f, size_t offset)
{
    add(f, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

static void
answer(struct filter *f, int error)
{
    add(f, BPF_RET | BPF_K,
        SECCOMP_RET_ERRNO | ((uint32_t)error & SECCOMP_RET_DATA), 0, 0);
}

static void
refuse(struct filter *f, long number, int error)
{
    add(f, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)number, 0, 1);
    answer(f, error);
}

/* Any other machine's calling convention ends the process. */
static void
begin(struct filter *f)
{
    f->len = 0;
    load(f, offsetof(struct seccomp_data, arch));
    add(f, BPF_JMP | BPF_JEQ | BPF_K, OWN_ARCH, 1, 0);
    add(f, BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS, 0, 0);
    load(f, offsetof(struct seccomp_data, nr));
    add(f, BPF_JMP | BPF_JGE | BPF_K, X32_BIT, 0, 1);
    answer(f, ENOSYS);
}

/* Both machines are little-endian: the low half of an argument comes first. */
static void
refuse_new_namespaces(struct filter *f)
{
    refuse(f, SYS_clone3, ENOSYS);
    add(f, BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 4);
    load(f, offsetof(struct seccomp_data, args));
    add(f, BPF_JMP | BPF_JSET | BPF_K, NEW_NAMESPACES, 0, 1);
    answer(f, EPERM);
    add(f, BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
}

/* Name service asks by netlink. */
static void
refuse_other_sockets(struct filter *f)
{
    static const uint32_t families[] = {AF_UNIX, AF_INET, AF_INET6, AF_NETLINK};
    const uint8_t len = sizeof(families) / sizeof(families[0]);

    add(f, BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 0, (uint8_t)(len + 3));
    load(f, offsetof(struct seccomp_data, args));
    for (uint8_t i = 0; i < len; i++)
        add(f, BPF_JMP | BPF_JEQ | BPF_K, families[i], (uint8_t)(len - i), 0);
    answer(f, EAFNOSUPPORT);
    add(f, BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
}

bool
confine_calls(bool may_start)
{
    struct filter f;
    struct sock_fprog program = {.filter = f.rules};

    begin(&f);
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
        refuse(&f, refused[i], EPERM);
    if (!may_start) {
        refuse(&f, SYS_execve, EPERM);
        refuse(&f, SYS_execveat, EPERM);
    }
    refuse_new_namespaces(&f);
    refuse_other_sockets(&f);
    add(&f, BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
    program.len = f.len;
    return f.len < RULES_MAX &&
           syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0;
}

#else

bool
confine_calls(bool may_start)
{
    (void)may_start;
    return false;
}

#endif
