#ifndef PLAIN_H
#define PLAIN_H
int plain(int);
#endif
