/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Options of "yare-bench run". The server program and the modules are looked for beside the runner, so that a
 * build folder works as it is; an option names others.
 */
#include "options.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "say.h"

#define SIZES_MAX 32
#define SESSIONS_MAX 8
#define SIZE_MOST 9999999 /* entry names have 7 digits */

enum option_id {
	OPT_SIZES = 1,
	OPT_REPEAT,
	OPT_TRANSPORT,
	OPT_TARGET,
	OPT_KEY,
	OPT_PASSWORD_FILE,
	OPT_CIPHERS,
	OPT_IDLE_SESSIONS,
	OPT_DURABILITY,
	OPT_SEED,
	OPT_TIMEOUT,
	OPT_YARED,
	OPT_YANG_DIR,
	OPT_MODELS,
	OPT_SESSIONS,
	OPT_PIPELINE,
	OPT_JSON,
	OPT_CSV,
	OPT_HTML,
	OPT_INSTALL,
	OPT_PEER_LIMIT,
	OPT_PEERS_DIR,
	OPT_GATE,
	OPT_HELP,
};

static const struct option longs[] = {
	{"sizes", 1, NULL, OPT_SIZES},
	{"repeat", 1, NULL, OPT_REPEAT},
	{"transport", 1, NULL, OPT_TRANSPORT},
	{"target", 1, NULL, OPT_TARGET},
	{"key", 1, NULL, OPT_KEY},
	{"password-file", 1, NULL, OPT_PASSWORD_FILE},
	{"ciphers", 1, NULL, OPT_CIPHERS},
	{"idle-sessions", 1, NULL, OPT_IDLE_SESSIONS},
	{"durability", 1, NULL, OPT_DURABILITY},
	{"seed", 1, NULL, OPT_SEED},
	{"timeout", 1, NULL, OPT_TIMEOUT},
	{"yared", 1, NULL, OPT_YARED},
	{"yang-dir", 1, NULL, OPT_YANG_DIR},
	{"models", 1, NULL, OPT_MODELS},
	{"sessions", 1, NULL, OPT_SESSIONS},
	{"pipeline", 1, NULL, OPT_PIPELINE},
	{"json", 1, NULL, OPT_JSON},
	{"csv", 1, NULL, OPT_CSV},
	{"html", 1, NULL, OPT_HTML},
	{"install", 0, NULL, OPT_INSTALL},
	{"peer-limit", 1, NULL, OPT_PEER_LIMIT},
	{"peers-dir", 1, NULL, OPT_PEERS_DIR},
	{"gate", 1, NULL, OPT_GATE},
	{"help", 0, NULL, OPT_HELP},
	{0},
};

void options_print_help(void)
{
	fputs("Usage: yare-bench list\n"
	      "       yare-bench run SUITE[/SCENARIO]... [OPTION]...\n"
	      "       yare-bench peers [perf-test/SCENARIO]... [--install] [OPTION]...\n"
	      "       yare-bench report A.json... [--html FILE] [--markdown FILE [--plots DIR]]\n"
	      "       yare-bench compare A.json B.json [--noise PCT]\n"
	      "Measures a NETCONF server and the floors under its figures.\n\n"
	      "  --sizes N,N,...        entries, devices or users (default: those that list shows)\n"
	      "  --repeat R             repetitions; medians are reported (default: 1)\n"
	      "  --target TARGET        spawn (a private yared), ssh://USER@HOST:PORT or unix:PATH\n"
	      "                         (default: spawn); another target's data of the suite is removed\n"
	      "  --transport ssh|unix   of what is not measured over both (default: ssh)\n"
	      "  --key FILE             private key for an ssh:// target\n"
	      "  --password-file FILE   its first line is the password for an ssh:// target\n"
	      "  --ciphers LIST         the client's preference (default: aes128-gcm@openssh.com first)\n"
	      "  --idle-sessions N      connected besides the measured one (default: 0; scenario idle: "
	      "1000)\n"
	      "  --sessions S,S,...     at a time, where several are measured (default: 1,4,8)\n"
	      "  --pipeline D           requests in flight a session there (default: 1)\n"
	      "  --durability full|relaxed|none   of a spawned server (default: full)\n"
	      "  --seed S               of the data (default: 1)\n"
	      "  --timeout S            how long a reply may take (default: 600)\n"
	      "  --yared FILE           the server to spawn (default: yared beside this program)\n"
	      "  --yang-dir DIR         where module perf-test is (default: bench/yang of the source)\n"
	      "  --models DIR           where the folders openroadm-cps, directory and ex-vlan are "
	      "(default:\n"
	      "                         yang in $YARE_SHARED, else in shared beside the source)\n"
	      "  --json FILE            results with samples and environment\n"
	      "  --csv FILE             results, one line each\n"
	      "  --html FILE            report with plots and tables\n"
	      "  --install              peers: install those that are missing (Debian packages)\n"
	      "  --peer-limit S         peers: one that took longer is left out at larger sizes (default: "
	      "10)\n"
	      "  --peers-dir DIR        peers: scripts that start them (default: bench/peers of the source)\n"
	      "  --markdown FILE        report: the same as Markdown, between the marks of a page that "
	      "exists\n"
	      "  --plots DIR            report: where the plots of --markdown go (default: plots)\n"
	      "  --noise PCT            compare: what is no change (default: 10)\n"
	      "  --gate FACTOR          end with 1 where a ratio is beyond FACTOR times its limit\n",
	      stdout);
}

static bool parse_number(const char *text, uint64_t most, uint64_t *number)
{
	char *end;
	errno = 0;
	unsigned long long parsed = strtoull(text, &end, 10);
	if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 || parsed > most)
		return false;
	*number = parsed;
	return true;
}

static bool parse_unsigned(const char *text, unsigned most, unsigned *number)
{
	uint64_t parsed;
	if (!parse_number(text, most, &parsed))
		return false;
	*number = (unsigned)parsed;
	return true;
}

static bool parse_sessions(const char *text, struct options *options, struct arena *arena)
{
	unsigned *sessions = arena_alloc(arena, SESSIONS_MAX * sizeof(*sessions));
	char *copy = arena_strdup(arena, bytes_of(text)), *rest;
	size_t count = 0;
	for (char *word = strtok_r(copy, ",", &rest); word != NULL; word = strtok_r(NULL, ",", &rest)) {
		if (count == SESSIONS_MAX || !parse_unsigned(word, 1000, &sessions[count]) ||
		    sessions[count] == 0)
			return false;
		count++;
	}
	options->sessions = sessions;
	options->session_count = count;
	return count > 0;
}

static int compare_sizes(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
	return (a > b) - (a < b);
}

static bool parse_sizes(const char *text, struct options *options, struct arena *arena)
{
	uint64_t *sizes = arena_alloc(arena, SIZES_MAX * sizeof(*sizes));
	char *copy = arena_strdup(arena, bytes_of(text)), *rest;
	size_t count = 0;
	for (char *word = strtok_r(copy, ",", &rest); word != NULL; word = strtok_r(NULL, ",", &rest)) {
		if (count == SIZES_MAX || !parse_number(word, SIZE_MOST, &sizes[count]) || sizes[count] == 0)
			return false;
		count++;
	}
	qsort(sizes, count, sizeof(*sizes), compare_sizes);
	options->sizes = sizes;
	options->size_count = count;
	return count > 0;
}

/* ssh://USER@HOST:PORT, HOST may be [::1] */
static bool parse_ssh(char *text, struct target *target)
{
	char *at = strrchr(text, '@'), *colon = strrchr(text, ':');
	if (at == NULL || colon == NULL || colon < at || at == text)
		return false;
	*at = *colon = '\0';
	char *host = at + 1;
	size_t size = strlen(host);
	if (size > 2 && host[0] == '[' && host[size - 1] == ']') {
		host[size - 1] = '\0';
		host++;
	}
	target->kind = TARGET_SSH;
	target->user = text;
	target->host = host;
	return host[0] != '\0' && parse_unsigned(colon + 1, 65535, &target->port);
}

static bool parse_target(const char *text, struct options *options, struct arena *arena)
{
	options->target_text = text;
	options->spawns = strcmp(text, "spawn") == 0;
	if (options->spawns)
		return true;
	if (strncmp(text, "unix:", 5) == 0) {
		options->target = (struct target){.kind = TARGET_UNIX, .path = text + 5};
		return true;
	}
	return strncmp(text, "ssh://", 6) == 0 &&
	       parse_ssh(arena_strdup(arena, bytes_of(text + 6)), &options->target);
}

static bool parse_transport(const char *text, bool *over_unix)
{
	*over_unix = strcmp(text, "unix") == 0;
	return *over_unix || strcmp(text, "ssh") == 0;
}

static bool parse_timeout(const char *text, int *timeout_ms)
{
	unsigned seconds;
	if (!parse_unsigned(text, INT_MAX / 1000, &seconds) || seconds == 0)
		return false;
	*timeout_ms = (int)seconds * 1000;
	return true;
}

/* The member of an option whose text is taken as it is; NULL: another option. */
static const char **find_text(struct options *options, enum option_id id)
{
	const struct {
		enum option_id id;
		const char **text;
	} members[] = {
		{OPT_KEY, &options->key},
		{OPT_CIPHERS, &options->ciphers},
		{OPT_PASSWORD_FILE, &options->password_file},
		{OPT_YARED, &options->yared},
		{OPT_YANG_DIR, &options->yang_dir},
		{OPT_MODELS, &options->models},
		{OPT_PEERS_DIR, &options->peers_dir},
		{OPT_JSON, &options->json},
		{OPT_CSV, &options->csv},
		{OPT_HTML, &options->html},
	};
	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++)
		if (members[i].id == id)
			return members[i].text;
	return NULL;
}

/* For whoever gave something else. */
static const char *what_is_taken(int id)
{
	static const char *const texts[] = {
		[OPT_SIZES] = "numbers of 1 to 9999999 with commas between them",
		[OPT_REPEAT] = "a number of 1 to 1000",
		[OPT_TRANSPORT] = "ssh or unix",
		[OPT_TARGET] = "spawn, ssh://USER@HOST:PORT or unix:PATH",
		[OPT_IDLE_SESSIONS] = "a number up to 100000",
		[OPT_SEED] = "a number up to 999999",
		[OPT_TIMEOUT] = "a number of seconds, at least 1",
		[OPT_DURABILITY] = "full, relaxed or none",
		[OPT_SESSIONS] = "up to 8 numbers of 1 to 1000 with commas between them",
		[OPT_PIPELINE] = "a number of 1 to 1000",
		[OPT_PEER_LIMIT] = "a number of seconds up to 1000000",
		[OPT_GATE] = "a number above 0",
		[OPT_HELP] = NULL,
	};
	return texts[id] != NULL ? texts[id] : "something else";
}

static bool set_option(struct options *options, enum option_id id, const char *text, struct arena *arena)
{
	const char **text_option = find_text(options, id);
	if (text_option != NULL) {
		*text_option = text;
		return true;
	}
	switch (id) {
	case OPT_SIZES:
		return parse_sizes(text, options, arena);
	case OPT_REPEAT:
		return parse_unsigned(text, 1000, &options->repeat) && options->repeat > 0;
	case OPT_TRANSPORT:
		return parse_transport(text, &options->over_unix);
	case OPT_TARGET:
		return parse_target(text, options, arena);
	case OPT_IDLE_SESSIONS:
		options->idle_sessions_given = true;
		return parse_unsigned(text, 100000, &options->idle_sessions);
	case OPT_SEED:
		return parse_number(text, 999999, &options->seed);
	case OPT_TIMEOUT:
		return parse_timeout(text, &options->timeout_ms);
	case OPT_DURABILITY:
		options->durability = text;
		return strcmp(text, "full") == 0 || strcmp(text, "relaxed") == 0 || strcmp(text, "none") == 0;
	case OPT_SESSIONS:
		return parse_sessions(text, options, arena);
	case OPT_PIPELINE:
		return parse_unsigned(text, 1000, &options->pipeline) && options->pipeline > 0;
	case OPT_INSTALL:
		options->install_peers = true;
		return true;
	case OPT_PEER_LIMIT:
		return parse_unsigned(text, 1000000, &options->peer_limit_s);
	case OPT_GATE:
		return sscanf(text, "%lf%c", &options->gate, &(char){0}) == 1 && options->gate > 0;
	case OPT_KEY:
	case OPT_PASSWORD_FILE:
	case OPT_CIPHERS:
	case OPT_YARED:
	case OPT_YANG_DIR:
	case OPT_MODELS:
	case OPT_PEERS_DIR:
	case OPT_JSON:
	case OPT_CSV:
	case OPT_HTML:
	case OPT_HELP:
		break;
	}
	return false;
}

/* The folder of this program, "." where unknown. */
static const char *own_folder(struct arena *arena)
{
	char path[PATH_MAX];
	ssize_t size = readlink("/proc/self/exe", path, sizeof(path) - 1);
	path[size > 0 ? size : 0] = '\0';
	char *slash = strrchr(path, '/');
	return slash == NULL ? "." : arena_strdup(arena, (struct bytes){path, (size_t)(slash - path)});
}

/* A folder of the source: beside the build folder that this program is in, or where it was built from. */
static const char *find_source(const char *folder, const char *name, struct arena *arena)
{
	const char *relative = arena_printf(arena, "%s/../bench/%s", folder, name);
	return access(relative, R_OK) == 0 ? relative : arena_printf(arena, YARE_BENCH_SOURCE "/%s", name);
}

static const char *find_models(const char *folder, struct arena *arena)
{
	const char *shared = getenv("YARE_SHARED");
	return shared != NULL ? arena_printf(arena, "%s/yang", shared)
			      : arena_printf(arena, "%s/../../shared/yang", folder);
}

static void set_defaults(struct options *options, struct arena *arena)
{
	const char *folder = own_folder(arena);
	*options = (struct options){
		.repeat = 1,
		.spawns = true,
		.target_text = "spawn",
		.ciphers = "aes128-gcm@openssh.com,aes256-gcm@openssh.com,chacha20-poly1305@openssh.com,"
			   "aes128-ctr,"
			   "aes256-ctr",
		.durability = "full",
		.pipeline = 1,
		.idle_sessions = 0,
		.seed = 1,
		.timeout_ms = 600000,
		.yared = arena_printf(arena, "%s/yared", folder),
		.yang_dir = find_source(folder, "yang", arena),
		.peers_dir = find_source(folder, "peers", arena),
		.peer_limit_s = 10,
		.models = find_models(folder, arena),
	};
	(void)parse_sessions("1,4,8", options, arena);
}

static enum options_result usage(const char *problem)
{
	say("%s; see yare-bench --help", problem);
	return OPTIONS_USAGE;
}

/* It is in a file so that it is neither among the processes' arguments nor in a shell's history. */
static bool read_password(struct options *options, struct arena *arena)
{
	char line[1024];
	FILE *file = fopen(options->password_file, "re");
	bool has_line = file != NULL && fgets(line, sizeof(line), file) != NULL;
	if (file != NULL)
		fclose(file);
	if (!has_line)
		return false;
	line[strcspn(line, "\r\n")] = '\0';
	options->target.password = arena_strdup(arena, bytes_of(line));
	return line[0] != '\0';
}

static enum options_result complete(struct options *options, const char *command, struct arena *arena)
{
	static const char *compared[] = {"perf-test/provision", "perf-test/complex", "perf-test/restore"};
	options->with_peers = strcmp(command, "peers") == 0;
	if (options->scenario_count == 0 && options->with_peers) {
		options->scenarios = compared;
		options->scenario_count = sizeof(compared) / sizeof(compared[0]);
	}
	if (options->with_peers && !options->spawns)
		return usage("peers spawns the servers itself");
	if (options->scenario_count == 0)
		return usage("no suite; yare-bench list names them");
	if (options->spawns)
		return access(options->yared, X_OK) == 0 ? OPTIONS_RUN
							 : usage("no yared; say where with --yared");
	options->over_unix = options->target.kind == TARGET_UNIX;
	if (!options->over_unix && options->key == NULL && options->password_file == NULL)
		return usage("an ssh:// target needs --key or --password-file");
	if (options->password_file != NULL && !read_password(options, arena))
		return usage("--password-file needs a file with the password in its first line");
	options->target.key = options->key;
	options->target.ciphers = options->ciphers;
	return OPTIONS_RUN;
}

enum options_result options_parse(struct options *options, int argc, char **argv, struct arena *arena)
{
	char own_name[] = "yare-bench", *command = argv[0];
	argv[0] = own_name; /* getopt_long says who complains */
	set_defaults(options, arena);
	optind = 1;
	int id, index = 0;
	while ((id = getopt_long(argc, argv, "", longs, &index)) != -1) {
		if (id == OPT_HELP) {
			options_print_help();
			return OPTIONS_EXIT;
		}
		if (id == '?')
			return OPTIONS_USAGE; /* getopt_long has said what */
		if (!set_option(options, (enum option_id)id, optarg, arena)) {
			say("--%s takes %s, not '%s'", longs[index].name, what_is_taken(id), optarg);
			return OPTIONS_USAGE;
		}
	}
	options->scenarios = (const char **)argv + optind;
	options->scenario_count = (size_t)(argc - optind);
	return complete(options, command, arena);
}
