// Connects members to a Fanfare server and notes when each of them has each message of a run, independently of the load tester.
// Usage: receiver PORT TOKENS_FILE. Prints "ready" when all are online. At the end of its input, prints a line for each message:
// its number, how many members have it, further copies, copies with another text, CLOCK_MONOTONIC of its last arrival, its text.
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

enum { MESSAGES = 1000, BUFFER = 8192, TEXT = 1024 };

typedef struct {
  int fd, isOnline;
  size_t used;
  unsigned char got[MESSAGES / 8];
  char buffer[BUFFER];
} Member;

typedef struct {
  int received, duplicates, different;
  int64_t lastNs;
  char text[TEXT];
} Message;

static Message messages[MESSAGES];
static int poller;

static void fail(const char *what) {
  fprintf(stderr, "%s: %s\n", what, errno ? strerror(errno) : "unexpected");
  exit(1);
}

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static void sendAll(int fd, const void *bytes, size_t length) {
  if (write(fd, bytes, length) != (ssize_t)length) fail("write");
}

// A masked text frame (RFC 6455 section 5.2); a mask of zeros changes nothing.
static void sendText(Member *member, const char *text) {
  unsigned char frame[TEXT + 8] = {0x81};
  size_t length = strlen(text), head = length < 126 ? 2 : 4;
  if (length > TEXT) fail("token");
  frame[1] = 0x80 | (length < 126 ? length : 126);
  if (head == 4) {
    frame[2] = length >> 8;
    frame[3] = length & 255;
  }
  memcpy(frame + head + 4, text, length);
  sendAll(member->fd, frame, head + 4 + length);
}

static void note(Member *member, const char *text, size_t length) {
  unsigned number;
  if (sscanf(text, "bench %*s %u", &number) != 1 || number >= MESSAGES || length >= TEXT) fail("message");
  Message *message = &messages[number];
  if (message->text[0] == 0) memcpy(message->text, text, length);
  if (strlen(message->text) != length || memcmp(message->text, text, length) != 0) {
    message->different++;
  } else if (member->got[number / 8] & (1 << number % 8)) {
    message->duplicates++;
  } else {
    member->got[number / 8] |= 1 << number % 8;
    message->received++;
    message->lastNs = now();
  }
}

// Engine.IO 4 and Socket.IO 5 packets.
static void handle(Member *member, char *text, const char *token) {
  if (text[0] == '2') {
    sendText(member, "3");
  } else if (text[0] == '0') {
    char packet[TEXT];
    snprintf(packet, sizeof packet, "40{\"token\":\"%s\"}", token);
    sendText(member, packet);
  } else if (strncmp(text, "42[\"ready\"", 10) == 0) {
    member->isOnline = 1;
  } else if (strncmp(text, "42[\"message.created\"", 20) == 0) {
    static const char key[] = "\"content\":\"bench ";
    for (char *at = text; (at = strstr(at, key)) != NULL;) {
      at += strlen("\"content\":\"");
      note(member, at, strcspn(at, "\""));
    }
  } else if (strncmp(text, "44", 2) == 0 || text[0] == '1') {
    fail(text);
  }
}

// Reads once, and handles all complete frames.
static void receive(Member *member, const char *token) {
  ssize_t count = read(member->fd, member->buffer + member->used, BUFFER - member->used);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (count <= 0) fail("connection lost");
  member->used += count;
  for (;;) {
    unsigned char *frame = (unsigned char *)member->buffer;
    if (member->used < 2) return;
    size_t head = frame[1] == 126 ? 4 : 2;
    if (frame[1] > 126 || (frame[0] != 0x81 && frame[0] != 0x8a)) fail("frame");
    if (member->used < head) return;
    size_t length = head == 4 ? (size_t)frame[2] << 8 | frame[3] : frame[1];
    if (head + length >= BUFFER) fail("long frame");
    if (member->used < head + length) return;
    char *end = member->buffer + head + length, first = *end;
    *end = 0;
    handle(member, member->buffer + head, token);
    *end = first;
    member->used -= head + length;
    memmove(member->buffer, end, member->used);
  }
}

// Waits for data of members who are online; 0: the input has ended.
static int serve(int waitMs) {
  static struct epoll_event events[1024];
  int count = epoll_wait(poller, events, 1024, waitMs);
  if (count < 0 && errno != EINTR) fail("epoll_wait");
  for (int i = 0; i < count; i++) {
    if (events[i].data.ptr == NULL) return 0;
    receive(events[i].data.ptr, "");
  }
  return 1;
}

static void join(int port, const char *token) {
  Member *member = calloc(1, sizeof *member);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  member->fd = socket(AF_INET, SOCK_STREAM, 0);
  if (member->fd < 0 || connect(member->fd, (void *)&address, sizeof address) < 0) fail("connect");
  int on = 1;
  setsockopt(member->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  static const char request[] =
      "GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\n"
      "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n";
  sendAll(member->fd, request, strlen(request));
  // Byte by byte, so that nothing of the first frame is read.
  char head[2048] = "";
  for (size_t used = 0; strstr(head, "\r\n\r\n") == NULL; used++)
    if (used + 1 == sizeof head || read(member->fd, head + used, 1) != 1) fail("handshake");
  if (strncmp(head, "HTTP/1.1 101", 12) != 0) fail(head);
  while (!member->isOnline) receive(member, token);
  fcntl(member->fd, F_SETFL, O_NONBLOCK);
  struct epoll_event event = {.events = EPOLLIN, .data.ptr = member};
  if (epoll_ctl(poller, EPOLL_CTL_ADD, member->fd, &event) < 0) fail("epoll_ctl");
}

int main(int argc, char **argv) {
  if (argc != 3) fail("usage: receiver PORT TOKENS_FILE");
  FILE *tokens = fopen(argv[2], "r");
  if (!tokens) fail(argv[2]);
  poller = epoll_create1(0);
  char token[TEXT];
  while (fscanf(tokens, "%1000s", token) == 1) {
    join(atoi(argv[1]), token);
    // Those who are online must answer pings.
    serve(0);
  }
  puts("ready");
  fflush(stdout);
  struct epoll_event input = {.events = EPOLLIN | EPOLLHUP, .data.ptr = NULL};
  if (epoll_ctl(poller, EPOLL_CTL_ADD, STDIN_FILENO, &input) < 0) fail("input");
  while (serve(1000));
  for (int i = 0; i < MESSAGES; i++) {
    Message *m = &messages[i];
    if (m->received > 0)
      printf("%d %d %d %d %lld %s\n", i, m->received, m->duplicates, m->different, (long long)m->lastNs, m->text);
  }
  return 0;
}
