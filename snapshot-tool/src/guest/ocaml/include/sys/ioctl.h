/* What wasi-libc has, and what it leaves out: what a terminal's size would be. */

#ifndef BACTRIAN_SYS_IOCTL_H
#define BACTRIAN_SYS_IOCTL_H

#include_next <sys/ioctl.h>

#define TIOCGWINSZ 0x5413

struct winsize {
    unsigned short ws_row, ws_col, ws_xpixel, ws_ypixel;
};

#endif
