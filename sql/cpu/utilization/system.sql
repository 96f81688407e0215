-- Old name of linux.cpu.utilization.system.

INCLUDE PERFETTO MODULE linux.cpu.utilization.system;
