/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The sets: which modules, and where data comes from. Sets without a generator begin with nothing; random
 * edits make their data.
 */
#include "soak.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"

static const char *const perf_test[] = {"perftest.py --set complex --n 12 --leaf --seed %u", NULL};
static const char *const directory[] = {"directory.py --n 12 --units 4 --group-size 4 --seed %u", NULL};
static const char *const ex_vlan[] = {"ietf_interfaces_vlan.py --n 8 --per-base 3 --seed %u", NULL};
static const char *const openroadm_cps[] = {"openroadm.py --n 1 --shape full --seed %u",
					    "openroadm.py --n 1 --seed %u", NULL};
static const char *const openconfig[] = {"openconfig.py --n 4 --neighbors 2 --vlans 2 --seed %u", NULL};

const struct soak_set soak_sets[] = {
	{.name = "perf-test", .modules = {"perf-test"}, .generators = perf_test},
	{.name = "directory", .modules = {"directory"}, .generators = directory},
	{.name = "ex-vlan", .modules = {"iana-if-type", "ex-vlan"}, .generators = ex_vlan},
	{.name = "zoo",
	 .modules = {"zoo-types", "constraints-zoo", "zoo-more", "zoo-deviations"},
	 .documents = "workloads/zoo/valid"},
	{.name = "openroadm-cps",
	 .modules = {"org-openroadm-interfaces", "openroadm-devices-inventory-v2"},
	 .generators = openroadm_cps},
	{.name = "openconfig",
	 .modules = {"iana-if-type", "openconfig-interfaces", "openconfig-if-ethernet", "openconfig-if-ip",
		     "openconfig-vlan", "openconfig-network-instance", "openconfig-routing-policy",
		     "openconfig-bgp-policy"},
	 .implement_imports = true,
	 .generators = openconfig},
	{.name = "openroadm"},
	{.name = "ietf", .first = "ietf-tls-common"},
	{.name = "junos"},
};
const size_t soak_set_count = sizeof(soak_sets) / sizeof(soak_sets[0]);

const char *soak_shared(const char *path, struct arena *arena)
{
	const char *shared = getenv("YARE_SHARED"), *source = getenv("YARE_SOURCE");
	const char *full = shared ? arena_printf(arena, "%s/%s", shared, path)
				  : arena_printf(arena, "%s/../shared/%s", source ? source : ".", path);
	return access(full, R_OK) == 0 ? full : NULL;
}

static void die(const struct soak_set *set, const char *what, const char *why)
{
	fprintf(stderr, "soak: %s: %s: %s\n", set->name, what, why);
	exit(2);
}

static bool is_submodule(const char *path)
{
	char start[2048];
	FILE *in = fopen(path, "r");
	size_t size = in ? fread(start, 1, sizeof(start) - 1, in) : 0;
	if (in)
		fclose(in);
	start[size] = '\0';
	return strncmp(start, "submodule ", 10) == 0 || strstr(start, "\nsubmodule ") != NULL;
}

/* All modules of the folder, into the vector of names. */
static void list_modules(const struct soak_set *set, const char *folder, struct arena *arena,
			 struct vector *names)
{
	struct dirent **files;
	int count = scandir(folder, &files, NULL, alphasort);
	if (set->first)
		*(const char **)vector_push(names) = set->first;
	for (int i = 0; i < count; i++) {
		const char *file = files[i]->d_name;
		size_t size = strcspn(file, "@");
		const char *name = arena_strdup(arena, (struct bytes){file, size});
		bool is_module = strstr(file, ".yang") != NULL && file[size] == '@' &&
				 !is_submodule(arena_printf(arena, "%s/%s", folder, file));
		if (is_module && !(set->first && strcmp(name, set->first) == 0))
			*(const char **)vector_push(names) = name;
		free(files[i]);
	}
	if (count >= 0)
		free(files);
}

static void load_ours(struct soak *soak, const char *folder, const struct vector *names)
{
	static const char *const all = "*";
	struct schema_module_request *requests = arena_zalloc(soak->arena, names->length * sizeof(*requests));
	for (size_t i = 0; i < names->length; i++)
		requests[i] = (struct schema_module_request){
			.name = *(const char **)vector_at(names, i), .features = &all, .feature_count = 1};
	struct schema_source source = {.search_dirs = &folder,
				       .search_dir_count = 1,
				       .modules = requests,
				       .module_count = names->length,
				       .implement_imports = soak->set->implement_imports};
	struct diag_list diags;
	diag_list_init(&diags, soak->arena, 10);
	enum status status = schema_load(&source, &diags, &soak->schema);
	if (status == ST_OK)
		status = check_plan_new(soak->schema, &diags, &soak->plan);
	if (status != ST_OK)
		die(soak->set, "our schema", soak_diags(&diags, soak->arena));
}

static void load_theirs(struct soak *soak, const char *folder, const struct vector *names)
{
	static const char *all[] = {"*", NULL};
	uint16_t options = LY_CTX_EXPLICIT_COMPILE | LY_CTX_DISABLE_SEARCHDIR_CWD;
	if (soak->set->implement_imports)
		options |= LY_CTX_ALL_IMPLEMENTED;
	ly_log_options(LY_LOSTORE);
	if (ly_ctx_new(folder, options, &soak->ly) != LY_SUCCESS)
		die(soak->set, "libyang", "no context");
	for (size_t i = 0; i < names->length; i++) {
		const char *name = *(const char **)vector_at(names, i);
		if (!ly_ctx_load_module(soak->ly, name, NULL, all))
			die(soak->set, name, ly_errmsg(soak->ly));
	}
	if (ly_ctx_compile(soak->ly) != LY_SUCCESS)
		die(soak->set, "libyang", ly_errmsg(soak->ly));
	ly_err_clean(soak->ly, NULL);
}

static void add_literals(struct soak *soak, const char *expression)
{
	while ((expression = strpbrk(expression, "'\"")) != NULL) {
		const char *end = strchr(expression + 1, *expression);
		if (end == NULL)
			return;
		struct bytes text = {expression + 1, (size_t)(end - expression) - 1};
		struct soak_word *word = vector_push(&soak->literals);
		word->text = arena_strdup(soak->arena, text);
		expression = end + 1;
	}
}

static void gather_literals(struct soak *soak)
{
	for (size_t i = 0; i < soak->schema->node_count; i++) {
		const struct schema_node *node = soak->schema->nodes[i];
		for (size_t j = 0; j < node->must_count; j++)
			add_literals(soak, node->musts[j].expression);
		for (size_t j = 0; j < node->when_count; j++)
			add_literals(soak, node->whens[j].expression);
	}
}

void soak_open(struct soak *soak, const struct soak_set *set, uint64_t seed)
{
	*soak = (struct soak){.set = set, .random = seed * 2654435761u + 1, .valid = false};
	soak->arena = arena_new();
	soak->round = arena_new();
	const char *folder = soak_shared(arena_printf(soak->arena, "yang/%s", set->name), soak->arena);
	struct vector names;
	vector_init(&names, sizeof(const char *));
	for (size_t i = 0; i < SOAK_MODULES_MAX && set->modules[i]; i++)
		*(const char **)vector_push(&names) = set->modules[i];
	if (names.length == 0)
		list_modules(set, folder, soak->arena, &names);
	load_ours(soak, folder, &names);
	load_theirs(soak, folder, &names);
	vector_fini(&names);
	soak->twins = arena_zalloc(soak->arena, soak->schema->node_count * sizeof(*soak->twins));
	soak->demands = arena_zalloc(soak->arena, soak->schema->node_count);
	vector_init(&soak->literals, sizeof(struct soak_word));
	vector_init(&soak->values, sizeof(struct soak_word));
	gather_literals(soak);
}

void soak_close(struct soak *soak)
{
	soak_drop(soak, soak->root);
	check_index_unref(soak->index, NULL);
	vector_fini(&soak->values);
	vector_fini(&soak->literals);
	ly_ctx_destroy(soak->ly);
	check_plan_free(soak->plan);
	schema_unref(soak->schema);
	arena_free(soak->round);
	arena_free(soak->arena);
}

/* What a stream gives, with <config> around. */
static const char *read_all(struct soak *soak, FILE *in)
{
	struct buffer text;
	buffer_init(&text, SIZE_MAX);
	(void)!buffer_append(&text, bytes_of("<config>"));
	for (;;) {
		char *room = buffer_reserve(&text, 65536);
		size_t size = fread(room, 1, 65536, in);
		if (size == 0)
			break;
		buffer_commit(&text, size);
	}
	(void)!buffer_append(&text, bytes_of("</config>"));
	const char *copy = arena_strdup(soak->round, buffer_get(&text));
	buffer_fini(&text);
	return copy;
}

static const char *generate(struct soak *soak)
{
	size_t count = 0;
	while (soak->set->generators[count])
		count++;
	const char *format = soak->set->generators[soak_pick(soak, (unsigned)count)];
	const char *folder = soak_shared("workloads", soak->round);
	if (!folder)
		die(soak->set, "workloads", "absent");
	char arguments[256];
	const char *seed = strstr(format, "%u");
	snprintf(arguments, sizeof(arguments), "%.*s%u", (int)(seed - format), format,
		 1 + soak_pick(soak, 1000000));
	FILE *pipe = popen(arena_printf(soak->round, "python3 %s/%s", folder, arguments), "r");
	if (!pipe)
		die(soak->set, arguments, "cannot be run");
	const char *text = read_all(soak, pipe);
	if (pclose(pipe) != 0)
		die(soak->set, arguments, "failed");
	return text;
}

static int is_xml(const struct dirent *entry)
{
	size_t size = strlen(entry->d_name);
	return size > 4 && strcmp(entry->d_name + size - 4, ".xml") == 0;
}

/* One of the folder's. It may be for an rpc or state data: then it does not load, and another is taken. */
static const char *choose_document(struct soak *soak)
{
	const char *folder = soak_shared(soak->set->documents, soak->round);
	struct dirent **files;
	int count = folder ? scandir(folder, &files, is_xml, alphasort) : -1;
	if (count <= 0)
		die(soak->set, soak->set->documents, "absent");
	const char *name = files[soak_pick(soak, (unsigned)count)]->d_name;
	FILE *in = fopen(arena_printf(soak->round, "%s/%s", folder, name), "r");
	const char *text = in ? read_all(soak, in) : NULL;
	if (in)
		fclose(in);
	for (int i = 0; i < count; i++)
		free(files[i]);
	free(files);
	return text;
}

const char *soak_document(struct soak *soak)
{
	if (soak->set->generators)
		return generate(soak);
	return soak->set->documents ? choose_document(soak) : NULL;
}

bool soak_set_is_named(const char *names, const char *name)
{
	size_t size = strlen(name);
	for (const char *p = names; p && *p; p += strcspn(p, ","), p += *p == ',') {
		if (strcspn(p, ",") == size && strncmp(p, name, size) == 0)
			return true;
	}
	return !names;
}

bool soak_sets_are_known(const char *names)
{
	size_t given = 1, known = 0;
	for (const char *p = names; p && *p; p++)
		given += *p == ',';
	for (size_t i = 0; i < soak_set_count; i++)
		known += soak_set_is_named(names, soak_sets[i].name);
	if (!names || known == given)
		return true;
	fprintf(stderr, "a set of '%s' is none of:", names);
	for (size_t i = 0; i < soak_set_count; i++)
		fprintf(stderr, " %s", soak_sets[i].name);
	fprintf(stderr, "\n");
	return false;
}
