-- Old name of linux.cpu.frequency.

INCLUDE PERFETTO MODULE linux.cpu.frequency;
