/*
 * The vDevice protocol (docs/vdevice.md): 2 vEUs of 2 threads, 7 rTasks with waits both ways, RUNS
 * runs one after another with nothing cleared between them, and a step counter that wraps round.
 *
 *   vEU 0:  A writes d0 | wait vEU 1 >= 1 | C reads d1, writes d2 | wait vEU 1 >= 3 | E writes d0 | G
 *   vEU 1:  B writes d1 | F | wait for the counter | D reads d0 and d2
 *
 * The counter is of C and F: F adds 1 and C, the first of them, what is left to S. Of the steps, those of B and D alone are
 * stored, since nobody waits for the others, and each vEU's last.
 *
 * Weak memory: every cell has a version, which a write raises, and every thread a view: for each cell
 * the oldest version that it may still read. A read may give any version from its view to the newest,
 * so it is right only when both are the one expected (the newest alone: a write came too early; the
 * view alone: the read may be stale). A store or addition behind a fence leaves its thread's view with the
 * cell, a fence behind the poll that saw it takes it over, and a vEU-wide barrier joins the views of the vEU's
 * threads. Nothing else does, so what the protocol forgets to order is seen.
 *
 * Each thread writes its own cell of a buffer and reads the other thread's. An rTask also passes a
 * value through the vEU's shared memory, with a barrier of its own in between.
 *
 * Each of these takes one part away, and makes the model fail:
 *   STEP_BEFORE_BARRIER, NO_BARRIER_BETWEEN, NO_BARRIER_AFTER_POLL, NO_FENCE_AFTER_POLL, NO_FENCE_BEFORE_STEP,
 *   NO_FENCE_BEFORE_COUNT, NO_END_STORE, NOT_AWAITED (a step that somebody waits for is not stored),
 *   NO_COUNTER_CHAIN (an addition does not carry on what the one before it left), COUNTER_BY_ONE (nothing makes up for S)
 */

#define RUNS 2
#define VEUS 2
#define THREADS 4 /* of all vEUs */
#define S 4       /* largest number of rTasks on a vEU */
#define COUNTER VEUS /* its cell */
#define CELLS 6   /* d0, d1, d2, of two cells each */

#define OTHER(t) ((t) ^ 1)
#define VEU(t) ((t) / 2)
#define CELL(buffer, t) (2 * (buffer) + ((t) & 1))
#define VIEW(t, c) view[(t) * CELLS + (c)]
#define MESSAGE(v, c) message[(v) * CELLS + (c)]
#define NEWER(a, b) ((a) > (b) -> (a) : (b))
#define EACH_CELL(x, t, u) x(t, u, 0); x(t, u, 1); x(t, u, 2); x(t, u, 3); x(t, u, 4); x(t, u, 5)
#define JOIN(t, u, c) VIEW(t, c) = NEWER(VIEW(t, c), VIEW(u, c)); VIEW(u, c) = VIEW(t, c)
#define ATTACH(t, v, c) MESSAGE(v, c) = VIEW(t, c)
#ifdef NO_COUNTER_CHAIN
#define CARRY(t, v, c) MESSAGE(v, c) = VIEW(t, c)
#else
#define CARRY(t, v, c) MESSAGE(v, c) = NEWER(MESSAGE(v, c), VIEW(t, c))
#endif
#define TAKE(t, v, c) VIEW(t, c) = NEWER(VIEW(t, c), MESSAGE(v, c))
#define SEE_NEWEST(t, u, c) VIEW(t, c) = newest[c]

/** Wrapping comparison, as (int32_t)(step - target) >= 0. */
#define REACHED(step, target) (((step) - (target) + 256) % 256 < 128)

byte newest[CELLS];
byte view[THREADS * CELLS];
byte step[VEUS + 1] = 254; /* wraps in the first run */
byte message[(VEUS + 1) * CELLS];

byte arrived[VEUS];
bit phase[VEUS];
byte ended[VEUS]; /* rTasks that thread 1 of a vEU has left, for NO_BARRIER_BETWEEN */

byte shared[THREADS];
byte finished; /* threads that ended the run; the kernel's boundary */
byte run_now;

/** bar.sync of the vEU. */
inline barrier(t)
{
    d_step {
        mine = phase[VEU(t)];
        arrived[VEU(t)]++;
        if
        :: arrived[VEU(t)] == 2 ->
            arrived[VEU(t)] = 0;
            phase[VEU(t)] = 1 - phase[VEU(t)];
            EACH_CELL(JOIN, t, OTHER(t))
        :: else -> skip
        fi
    }
    phase[VEU(t)] != mine
}

inline write(t, buffer)
{
    d_step {
        newest[CELL(buffer, t)]++;
        VIEW(t, CELL(buffer, t)) = newest[CELL(buffer, t)]
    }
}

/** Reads the other thread's cell. */
inline read(t, buffer, version)
{
    d_step {
        assert(newest[CELL(buffer, OTHER(t))] == version);
        assert(VIEW(t, CELL(buffer, OTHER(t))) == version)
    }
}

/** The rTask's use of shared memory: a value to the other thread. */
inline through_shared(t, id)
{
    shared[t] = id;
    barrier(t);
    assert(shared[OTHER(t)] == id)
}

inline store_step(t, value)
{
    d_step {
#ifndef NO_FENCE_BEFORE_STEP
        EACH_CELL(ATTACH, t, VEU(t));
#endif
        step[VEU(t)] = value
    }
}

/** Thread 0 of the vEU, behind one fence: stores the step where it is awaited, adds where the rTask is counted. */
inline publish(t, awaited, amount)
{
    done++;
    if
    :: t % 2 == 0 && awaited -> store_step(t, done)
    :: else -> skip
    fi;
    if
    :: t % 2 == 0 && amount > 0 ->
        d_step {
#ifndef NO_FENCE_BEFORE_COUNT
            EACH_CELL(CARRY, t, COUNTER);
#endif
            step[COUNTER] = (step[COUNTER] + amount) % 256
        }
    :: else -> skip
    fi
}

#ifdef NOT_AWAITED
#define AWAITED false
#else
#define AWAITED true
#endif

#ifdef COUNTER_BY_ONE
#define REST 1
#else
#define REST (S - 1)
#endif

/** What follows an rTask. */
inline end_task(t, awaited, amount)
{
#if defined(STEP_BEFORE_BARRIER)
    publish(t, awaited, amount);
    barrier(t)
#elif defined(NO_BARRIER_BETWEEN)
    /* Thread 0 waits for thread 1 before the step, but thread 1 goes on. */
    d_step {
        tasks++;
        if
        :: t % 2 == 1 -> ended[VEU(t)]++
        :: else -> skip
        fi
    }
    if
    :: t % 2 == 0 ->
        atomic {
            ended[VEU(t)] >= tasks;
            d_step { EACH_CELL(JOIN, t, OTHER(t)) }
        }
    :: else -> skip
    fi
    publish(t, awaited, amount)
#else
    barrier(t);
    publish(t, awaited, amount)
#endif
}

/** A barrier-rTask of one item, which thread 0 polls. */
inline await(t, v, k)
{
    if
    :: t % 2 == 0 ->
        atomic {
            REACHED(step[v], (base + k) % 256);
            d_step {
#ifdef NO_FENCE_AFTER_POLL
                skip
#else
                EACH_CELL(TAKE, t, v)
#endif
            }
        }
    :: else -> skip
    fi;
#ifdef NO_BARRIER_AFTER_POLL
    skip
#else
    barrier(t)
#endif
}

inline end_veu(t)
{
#ifdef NO_END_STORE
    skip
#else
    if
    :: t % 2 == 0 -> store_step(t, (base + S) % 256)
    :: else -> skip
    fi
#endif
}

/** The kernel's end and the next one's start: everyone has seen everything. */
inline boundary(t)
{
    d_step {
        finished++;
        if
        :: finished == THREADS ->
            finished = 0;
            run_now++;
            EACH_CELL(SEE_NEWEST, 0, 0);
            EACH_CELL(SEE_NEWEST, 1, 0);
            EACH_CELL(SEE_NEWEST, 2, 0);
            EACH_CELL(SEE_NEWEST, 3, 0)
        :: else -> skip
        fi
    }
    run_now == round + 1;
    round++
}

/** Versions of d0 in round r: A makes 2 r + 1, E makes 2 r + 2; d1 and d2: r + 1. */
active [THREADS] proctype thread()
{
    byte t = _pid, round, base, done, tasks;
    bit mine;
    do
    :: round < RUNS ->
        base = step[VEU(t)];
        done = base;
        if
        :: VEU(t) == 0 ->
            through_shared(t, 1); write(t, 0); end_task(t, false, 0); /* A */
            await(t, 1, 1);
            read(t, 1, round + 1); through_shared(t, 2); write(t, 2); end_task(t, false, REST); /* C */
            await(t, 1, 3);
            through_shared(t, 3); write(t, 0); end_task(t, false, 0); /* E */
            through_shared(t, 4); end_task(t, false, 0) /* G */
        :: else ->
            through_shared(t, 5); write(t, 1); end_task(t, AWAITED, 0); /* B */
            through_shared(t, 6); end_task(t, false, 1); /* F */
            await(t, COUNTER, S);
            through_shared(t, 7); read(t, 0, 2 * round + 1); read(t, 2, round + 1);
            end_task(t, true, 0) /* D */
        fi;
        end_veu(t);
        boundary(t)
    :: else -> break
    od;
    assert(newest[CELL(0, t)] == 2 * RUNS && newest[CELL(2, t)] == RUNS)
}
