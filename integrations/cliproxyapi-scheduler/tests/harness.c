/* Loads the library as the proxy does, on the proxy's side of the C interface, and picks from several threads.
 *
 * harness <library> <url> <threads> <picks> <candidates>
 * prints each line of the log, then figures as "name value". */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef struct { void *ptr; size_t len; } buffer;
typedef struct {
  uint32_t abi_version;
  void *host_ctx;
  int (*call)(void *, const char *, const uint8_t *, size_t, buffer *);
  void (*free_buffer)(void *, size_t);
} host_api;
typedef struct {
  uint32_t abi_version;
  int (*call)(const char *, const uint8_t *, size_t, buffer *);
  void (*free_buffer)(void *, size_t);
  void (*shutdown)(void);
} plugin_api;
typedef int (*init_fn)(const host_api *, plugin_api *);

static plugin_api plugin;
static int threads, picks, candidates;
static double *microseconds, *wall_microseconds;
static int handled, strangers, errors;
static volatile int ended;

static int host_call(void *ctx, const char *method, const uint8_t *request, size_t len, buffer *out) {
  (void)ctx;
  printf("LOG %s %.*s\n", method, (int)len, (const char *)request);
  fflush(stdout);
  out->len = 23;
  out->ptr = malloc(out->len);
  memcpy(out->ptr, "{\"ok\":true,\"result\":{}}", out->len);
  return 0;
}

static void host_free(void *ptr, size_t len) {
  (void)len;
  free(ptr);
}

/* The answer as a C string, freed by the caller. */
static char *ask(const char *method, const char *request) {
  buffer out = {0};
  if (plugin.call(method, (const uint8_t *)request, strlen(request), &out) != 0 || out.ptr == NULL) {
    __atomic_add_fetch(&errors, 1, __ATOMIC_SEQ_CST);
    return strdup("");
  }
  char *answer = strndup(out.ptr, out.len);
  plugin.free_buffer(out.ptr, out.len);
  return answer;
}

static void base64(const char *text, char *out) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  size_t len = strlen(text);
  for (size_t i = 0; i < len; i += 3) {
    uint32_t bits = (uint32_t)(uint8_t)text[i] << 16;
    if (i + 1 < len) bits |= (uint32_t)(uint8_t)text[i + 1] << 8;
    if (i + 2 < len) bits |= (uint8_t)text[i + 2];
    *out++ = digits[bits >> 18 & 63];
    *out++ = digits[bits >> 12 & 63];
    *out++ = i + 1 < len ? digits[bits >> 6 & 63] : '=';
    *out++ = i + 2 < len ? digits[bits & 63] : '=';
  }
  *out = 0;
}

static void configure(const char *method, const char *url, int poll_seconds) {
  char yaml[512], encoded[1024], request[1200];
  snprintf(yaml, sizeof yaml, "enabled: true\npriority: 1\nurl: %s\npoll_seconds: %d\n", url, poll_seconds);
  base64(yaml, encoded);
  snprintf(request, sizeof request, "{\"config_yaml\":\"%s\",\"schema_version\":3}", encoded);
  free(ask(method, request));
}

/* A request as recorded, about 0.4 kB for each candidate. */
static char *pick_request(int session) {
  char *request = malloc(2000 + (size_t)candidates * 600), *end = request;
  end += sprintf(end,
    "{\"Plugin\":{\"Name\":\"quota-scheduler\",\"Version\":\"0.1.0\",\"Author\":\"svc-quota-monitor\",\"GitHubRepository\":\"..\",\"Logo\":\"\","
    "\"ConfigFields\":null},\"Provider\":\"\",\"Providers\":[\"codex\"],\"Model\":\"gpt-5.5\",\"Stream\":false,\"Options\":{\"Headers\":{"
    "\"Authorization\":[\"Bearer canary-client-key-4f1d\"],\"User-Agent\":[\"codex_cli_rs/0.145.0\"],\"Session_id\":[\"canary-session-%d\"]},"
    "\"Metadata\":{\"caller_scope\":\"e0c099b6\",\"generate\":true,\"request_path\":\"/v1/responses\",\"requested_model\":\"gpt-5.5\","
    "\"service_tier\":\"auto\",\"session_affinity_model\":\"\",\"session_affinity_provider\":\"mixed\"}},\"Candidates\":[", session);
  for (int i = 0; i < candidates; i++)
    end += sprintf(end,
      "%s{\"ID\":\"codex-%08x-canary@mail.example-pro.json\",\"Provider\":\"codex\",\"Priority\":0,\"Status\":\"active\",\"Attributes\":{"
      "\"auth_kind\":\"oauth\",\"path\":\"/auths/codex-%08x-canary@mail.example-pro.json\",\"plan_type\":\"pro\","
      "\"source\":\"/auths/codex-%08x-canary@mail.example-pro.json\",\"source_backend\":\"file\"},\"Metadata\":null}", i ? "," : "", i, i, i);
  strcpy(end, "]}");
  return request;
}

static double now(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return time.tv_sec * 1e6 + time.tv_nsec / 1e3;
}

static void *pick(void *argument) {
  int thread = (int)(intptr_t)argument, each = picks / threads;
  for (int i = 0; i < each; i++) {
    char *request = pick_request((thread * each + i) % 500);
    double cpu = now(CLOCK_THREAD_CPUTIME_ID), wall = now(CLOCK_MONOTONIC);
    buffer out = {0};
    plugin.call("scheduler.pick", (const uint8_t *)request, strlen(request), &out);
    microseconds[thread * each + i] = now(CLOCK_THREAD_CPUTIME_ID) - cpu;
    wall_microseconds[thread * each + i] = now(CLOCK_MONOTONIC) - wall;
    char *answer = strndup(out.ptr, out.len), *id = strstr(answer, "\"AuthID\":\"");
    plugin.free_buffer(out.ptr, out.len);
    if (strncmp(answer, "{\"ok\":true", 10) != 0) __atomic_add_fetch(&errors, 1, __ATOMIC_SEQ_CST);
    if (id != NULL) {
      char needle[200];
      sscanf(id + 10, "%150[^\"]", needle + 6);
      memcpy(needle, "\"ID\":\"", 6);
      __atomic_add_fetch(strstr(request, needle) ? &handled : &strangers, 1, __ATOMIC_SEQ_CST);
    }
    if (i % 50 == 0)
      free(ask("usage.handle", "{\"AuthID\":\"codex-00000001-canary@mail.example-pro.json\",\"APIKey\":\"canary-client-key-4f1d\",\"Failed\":true,"
                               "\"Failure\":{\"StatusCode\":429}}"));
    free(answer);
    free(request);
  }
  return NULL;
}

static int by_value(const void *a, const void *b) {
  double left = *(const double *)a, right = *(const double *)b;
  return (left > right) - (left < right);
}

static void print_percentiles(const char *name, double *values, int count) {
  qsort(values, (size_t)count, sizeof *values, by_value);
  printf("%s_p50 %.1f\n%s_p99 %.1f\n", name, values[count / 2], name, values[count * 99 / 100]);
}

static void *reconfigure(void *url) {
  for (int i = 0; !ended; i++) {
    configure("plugin.reconfigure", url, 1 + i % 3);
    usleep(3000);
  }
  return NULL;
}

int main(int count, char **arguments) {
  if (count != 6) return 2;
  char *url = arguments[2];
  threads = atoi(arguments[3]);
  picks = atoi(arguments[4]) / threads * threads;
  candidates = atoi(arguments[5]);
  microseconds = malloc((size_t)picks * sizeof *microseconds);
  wall_microseconds = malloc((size_t)picks * sizeof *wall_microseconds);

  void *library = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) return fprintf(stderr, "%s\n", dlerror()), 3;
  init_fn init = (init_fn)dlsym(library, "cliproxy_plugin_init");
  host_api *host = malloc(sizeof *host);
  *host = (host_api){1, NULL, host_call, host_free};
  if (init == NULL || init(host, &plugin) != 0 || plugin.abi_version != 1) return 4;
  host_api wrong = {2, NULL, host_call, host_free};
  plugin_api none = {0};
  if (init(&wrong, &none) == 0 || init(NULL, NULL) == 0) return 5;

  configure("plugin.register", url, 1);
  configure("plugin.reconfigure", url, 1);
  char *request = pick_request(0);
  for (int tries = 0; tries < 3000; tries++) {
    char *answer = ask("scheduler.pick", request);
    int ready = strstr(answer, "\"Handled\":true") != NULL;
    free(answer);
    if (ready) break;
    usleep(10000);
  }
  free(request);

  pthread_t workers[64], changes;
  pthread_create(&changes, NULL, reconfigure, url);
  for (int i = 0; i < threads; i++) pthread_create(&workers[i], NULL, pick, (void *)(intptr_t)i);
  for (int i = 0; i < threads; i++) pthread_join(workers[i], NULL);
  ended = 1;
  pthread_join(changes, NULL);

  double started = now(CLOCK_MONOTONIC);
  plugin.shutdown();
  printf("shutdown_ms %.0f\n", (now(CLOCK_MONOTONIC) - started) / 1e3);
  memset(host, 0xee, sizeof *host);
  free(host);
  dlclose(library);
  printf("picks %d\nhandled %d\nstrangers %d\nerrors %d\n", picks, handled, strangers, errors);
  print_percentiles("cpu_us", microseconds, picks);
  print_percentiles("wall_us", wall_microseconds, picks);
  free(microseconds);
  free(wall_microseconds);
  return 0;
}
