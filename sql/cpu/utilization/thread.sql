-- Old name of linux.cpu.utilization.thread.

INCLUDE PERFETTO MODULE linux.cpu.utilization.thread;
