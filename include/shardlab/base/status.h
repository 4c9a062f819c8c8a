/* How a function says that it could not do what was asked. The values are the exit statuses of the
 * program (CONTRACT, "Exit status"), so a failure travels unchanged from where it is found to main. */
#ifndef BASE_STATUS_H
#define BASE_STATUS_H

enum status {
    STATUS_OK = 0,     /* done */
    STATUS_FAILED = 1, /* could not be done: a file, a device, memory, an overflow of the machine */
    STATUS_USAGE = 2,  /* asked wrongly: an option or a value that means nothing */
};

#endif
