/* Dining philosophers for Spin, the same program as models/philosophers.bir: N philosophers, each
 * takes its left fork, then its right one, drops the right one, then the left one; one step per
 * action. All processes start in one atomic step, as MAIN does there.
 *
 *   spin -DN=10 -a philosophers.pml
 *   cc -O2 -DNOREDUCE -DSAFETY -DMEMLIM=8000 -o pan pan.c
 *   ./pan -m10000000 -E -n
 */
#ifndef N
#define N 3
#endif

bool held[N];

proctype Philosopher(byte left; byte right)
{
  do
  :: d_step { !held[left] -> held[left] = true };
     d_step { !held[right] -> held[right] = true };
     held[right] = false;
     held[left] = false
  od
}

init {
  byte i = 0;
  atomic {
    do
    :: i < N -> run Philosopher(i, (i + 1) % N); i++
    :: else -> break
    od
  }
}
