volatile int counter;

static inline __attribute__((always_inline)) void add(int x) {
  counter += x;
}

__attribute__((noinline)) int work(int x) {
  add(x);
  return x + 1;
}

__attribute__((noinline)) int run(void) {
  return work(3) + counter;
}
