/* One plain C function over nauty and Traces, so that no struct of theirs is repeated in Rust.
 *
 * nauty's sources are compiled with `nauty_kill_request` defined as a call of pidlab_kill_flag(), and
 * with malloc and its kin and the random numbers going through this file. So both programs stop at a
 * deadline or memory limit of the thread they run in, where nauty's own flag is global to the process.
 *
 * The flag is only read between nodes of the search tree. Within a node a refinement of a large graph
 * takes seconds and group computations (random Schreier method) minutes. So a call in a thread of its
 * own can be left at any point: who waits for it sends the thread a signal when the time is over
 * (pidlab_interrupt), and the handler leaves the call by siglongjmp, unless it interrupted the
 * allocator, whose locks must not stay taken; then the next signal does. Group computations draw random
 * numbers, and there the limits are looked at too, for systems without signals. After that the static
 * buffers of nauty in this thread are in no state to be used again: this is done only in a thread that
 * makes no further call, and all its blocks are freed. */

#if defined(__unix__) || defined(__APPLE__)
#define HAVE_SIGNALS 1
#include <pthread.h>
#include <signal.h>
#endif
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "naurng.h"
#include "traces.h"

enum { DONE = 0, TIME = 1, MEMORY = 2, FAILED = 3 };

/* What the current call in this thread may use, and what made it stop. */
static _Thread_local struct {
    int limited;
    struct timespec deadline;
    size_t memory_limit;
    volatile int stopped;
    volatile int may_escape;
#ifdef HAVE_SIGNALS
    sigjmp_buf escape;
#else
    jmp_buf escape;
#endif
} budget;

/* What nauty holds in this thread; its buffers outlive a call. */
struct block {
    struct block *before, *after;
    size_t size;
    size_t padding; /* keeps what follows aligned to 16 bytes */
};
static _Thread_local size_t held;
static _Thread_local struct block *blocks;
static _Thread_local int escaped;
/* Set while the allocator and the list of blocks are at work. */
static _Thread_local volatile int allocating;

static int past(const struct timespec *deadline)
{
    struct timespec now;
    if (timespec_get(&now, TIME_UTC) == 0) return 0;
    return now.tv_sec > deadline->tv_sec
        || (now.tv_sec == deadline->tv_sec && now.tv_nsec >= deadline->tv_nsec);
}

volatile int *pidlab_kill_flag(void)
{
    if (budget.stopped == DONE) {
        if (held > budget.memory_limit) budget.stopped = MEMORY;
        else if (budget.limited && past(&budget.deadline)) budget.stopped = TIME;
    }
    return &budget.stopped;
}

/* Leaves the call at once if a limit is reached and the thread is made for it. */
static void check_limits(void)
{
    if (budget.may_escape && *pidlab_kill_flag() != DONE) {
        escaped = 1;
#ifdef HAVE_SIGNALS
        siglongjmp(budget.escape, 1);
#else
        longjmp(budget.escape, 1);
#endif
    }
}

#ifdef HAVE_SIGNALS
static void on_interrupt(int number)
{
    (void)number;
    if (!allocating) check_limits();
}

/* SIGURG is ignored by those who do not ask for it, so it harms nobody else. */
static void listen_once(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_interrupt;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    sigaction(SIGURG, &action, NULL);
}

static void listen(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, listen_once);
}

/* Has a call in that thread look at its limits now. The thread must not have been joined. */
void pidlab_interrupt(pthread_t thread)
{
    listen();
    pthread_kill(thread, SIGURG);
}
#endif

unsigned long long pidlab_ran_nextran(void)
{
    check_limits();
    return ran_nextran();
}

static void *hand_out(struct block *block, size_t size)
{
    if (block == NULL) return NULL;
    block->size = size;
    block->before = NULL;
    block->after = blocks;
    if (blocks != NULL) blocks->before = block;
    blocks = block;
    held += size;
    return block + 1;
}

static struct block *take_back(void *pointer)
{
    struct block *block = (struct block *)pointer - 1;
    if (block->before != NULL) block->before->after = block->after;
    else blocks = block->after;
    if (block->after != NULL) block->after->before = block->before;
    held -= block->size;
    return block;
}

void *pidlab_malloc(size_t size)
{
    void *result;
    if (held > budget.memory_limit) check_limits();
    allocating = 1;
    result = hand_out(malloc(size + sizeof(struct block)), size);
    allocating = 0;
    return result;
}

void *pidlab_calloc(size_t count, size_t size)
{
    void *result;
    if (held > budget.memory_limit) check_limits();
    if (size != 0 && count > (SIZE_MAX - sizeof(struct block)) / size) return NULL;
    allocating = 1;
    result = hand_out(calloc(1, count * size + sizeof(struct block)), count * size);
    allocating = 0;
    return result;
}

void *pidlab_realloc(void *pointer, size_t size)
{
    void *result;
    if (pointer == NULL) return pidlab_malloc(size);
    allocating = 1;
    result = hand_out(realloc(take_back(pointer), size + sizeof(struct block)), size);
    allocating = 0;
    return result;
}

void pidlab_free(void *pointer)
{
    if (pointer == NULL) return;
    allocating = 1;
    free(take_back(pointer));
    allocating = 0;
}

/* Traces' way out when the machine has no memory left; the Rust side aborts in that case too. */
void gt_abort(const char *message)
{
    if (message != NULL) fputs(message, stderr);
    abort();
}

static void start_budget(int64_t nanoseconds, size_t memory_limit)
{
    budget.stopped = DONE;
    budget.memory_limit = memory_limit;
    budget.limited = nanoseconds >= 0 && timespec_get(&budget.deadline, TIME_UTC) != 0;
    if (budget.limited) {
        int64_t total = budget.deadline.tv_nsec + nanoseconds % 1000000000;
        budget.deadline.tv_sec += (time_t)(nanoseconds / 1000000000 + total / 1000000000);
        budget.deadline.tv_nsec = (long)(total % 1000000000);
    }
}

static int outcome(int errstatus)
{
    if (budget.stopped != DONE) return budget.stopped;
    return errstatus == 0 ? DONE : FAILED;
}

static sparsegraph graph_of(int n, size_t entries, size_t *v, int *d, int *e)
{
    SG_DECL(graph);
    graph.nv = n;
    graph.nde = entries;
    graph.v = v;
    graph.d = d;
    graph.e = e;
    graph.vlen = graph.dlen = (size_t)n;
    graph.elen = entries;
    return graph;
}

/* What a call is told besides the labelling: the order of the automorphism group, mantissa * 10^exponent. */
struct group {
    double mantissa;
    int exponent;
};

static int run_nauty(sparsegraph *graph, int *lab, int *ptn, int *orbits, sparsegraph *canon,
                     int schreier, struct group *group)
{
    DEFAULTOPTIONS_SPARSEGRAPH(options);
    statsblk stats;
    options.getcanon = TRUE;
    options.defaultptn = FALSE;
    options.schreier = schreier;
    sparsenauty(graph, lab, ptn, orbits, &options, &stats, canon);
    group->mantissa = stats.grpsize1;
    group->exponent = stats.grpsize2;
    return outcome(stats.errstatus);
}

static int run_traces(sparsegraph *graph, int *lab, int *ptn, int *orbits, sparsegraph *canon,
                      struct group *group)
{
    DEFAULTOPTIONS_TRACES(options);
    TracesStats stats;
    memset(&stats, 0, sizeof stats);
    options.getcanon = TRUE;
    options.defaultptn = FALSE;
    Traces(graph, lab, ptn, orbits, &options, &stats, canon);
    group->mantissa = stats.grpsize1;
    group->exponent = stats.grpsize2;
    return outcome(stats.errstatus);
}

static int run(int algorithm, sparsegraph *graph, int *lab, int *ptn, int *orbits, sparsegraph *canon,
               struct group *group, int own_thread)
{
#ifdef HAVE_SIGNALS
    if (own_thread) listen();
    if (own_thread && sigsetjmp(budget.escape, 1) != 0) return budget.stopped;
#else
    if (own_thread && setjmp(budget.escape) != 0) return budget.stopped;
#endif
    budget.may_escape = own_thread;
    if (algorithm == 0) return run_traces(graph, lab, ptn, orbits, canon, group);
    return run_nauty(graph, lab, ptn, orbits, canon, algorithm == 2, group);
}

/* Canonical labelling of an undirected graph in nauty's sparse form. lab and ptn give the ordered
 * colour classes and lab the labelling afterwards. `algorithm`: 0 Traces, 1 nauty, 2 nauty with the
 * random Schreier method. mantissa * 10^exponent is the order of the automorphism group, rounded.
 * nanoseconds < 0: no time limit. own_thread: after a limit was reached this
 * thread calls nothing here but pidlab_free_buffers. */
int pidlab_canonical_labeling(int algorithm, int n, size_t entries, size_t *v, int *d, int *e,
                               int *lab, int *ptn, double *mantissa, int *exponent,
                               int64_t nanoseconds, size_t memory_limit, int own_thread)
{
    size_t *canon_v = malloc((size_t)n * sizeof *canon_v);
    int *canon_d = malloc((size_t)n * sizeof *canon_d);
    int *canon_e = malloc((entries + 1) * sizeof *canon_e);
    int *orbits = malloc((size_t)n * sizeof *orbits);
    int result = MEMORY;
    if (canon_v != NULL && canon_d != NULL && canon_e != NULL && orbits != NULL) {
        sparsegraph graph = graph_of(n, entries, v, d, e);
        sparsegraph canon = graph_of(n, entries, canon_v, canon_d, canon_e);
        canon.elen = entries + 1;
        start_budget(nanoseconds, memory_limit);
        struct group group = { 1.0, 0 };
        result = run(algorithm, &graph, lab, ptn, orbits, &canon, &group, own_thread);
        budget.may_escape = 0;
        *mantissa = group.mantissa;
        *exponent = group.exponent;
    }
    free(canon_v);
    free(canon_d);
    free(canon_e);
    free(orbits);
    return result;
}

/* Gives back the buffers that nauty and Traces keep in this thread. */
void pidlab_free_buffers(void)
{
    if (escaped) {
        while (blocks != NULL) pidlab_free(blocks + 1);
        return;
    }
    nauty_freedyn();
    nautil_freedyn();
    nausparse_freedyn();
    traces_freedyn();
    schreier_freedyn();
}
