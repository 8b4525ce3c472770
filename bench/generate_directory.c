/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A population in one document: units (a tree of 8 children each, with a head), people (a manager each, a
 * tree of 10), groups of 100 with their owner and a few members from elsewhere. Each value is a field of
 * splitmix64, so that a user can be made without those before.
 */
#include "generate_directory.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>

#include "generate.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define GROUP_SIZE 100
#define UNIT_SIZE 200
#define FOREIGN_MEMBERS 3
#define NAME_SIZE 32

static const char *const first_names[] = {
	"Ada",	  "Alan",  "Amina",  "Anders", "Anna",	"Bela",	 "Boris", "Carla", "Chen", "Clara", "Dana",
	"Dmitri", "Elena", "Emil",   "Farid",  "Fiona", "Georg", "Greta", "Hana",  "Hugo", "Ines",  "Ivan",
	"Jana",	  "Jiro",  "Kaja",   "Karl",   "Lena",	"Luca",	 "Maja",  "Marek", "Mina", "Nadia", "Nils",
	"Olga",	  "Omar",  "Paula",  "Petr",   "Quinn", "Rosa",	 "Rui",	  "Sara",  "Sven", "Tara",  "Tomas",
	"Uma",	  "Vera",  "Viktor", "Wanda",  "Xenia", "Yusuf", "Zora"};
static const char *const last_names[] = {"Abel",    "Bauer",  "Castro",	   "Dvorak", "Eriksen",	 "Fischer",
					 "Garcia",  "Horak",  "Ito",	   "Jansen", "Kowalski", "Larsen",
					 "Meyer",   "Novak",  "Okafor",	   "Petrov", "Quist",	 "Rossi",
					 "Schmidt", "Tanaka", "Urban",	   "Varga",  "Weber",	 "Xu",
					 "Yilmaz",  "Zeman",  "Andersson", "Brown",  "Costa",	 "Duarte"};
static const char *const cities[] = {"Amsterdam", "Bern",    "Brno",  "Cork",  "Delft", "Espoo", "Fulda",
				     "Ghent",	  "Hamburg", "Izmir", "Jena",  "Kyoto", "Lyon",	 "Malmo",
				     "Nantes",	  "Oslo",    "Porto", "Quito", "Riga",	"Sofia"};
static const char *const titles[] = {"Engineer", "Analyst",  "Manager",	   "Clerk",
				     "Director", "Operator", "Technician", "Architect"};
static const char *const languages[] = {"en", "de", "cs-CZ", "fr-FR", "es", "it", "ja", "pl"};
static const char *const countries[] = {"DE", "CZ", "FR", "ES", "IT", "JP", "PL", "US"};

/* Numbers of the random fields of a record. */
enum field {
	FIELD_FIRST_NAME = 1,
	FIELD_LAST_NAME,
	FIELD_MISC,
	FIELD_TITLE,
	FIELD_CITY,
	FIELD_LANGUAGE,
	FIELD_HASH,
	FIELD_PICK = 99,
	FIELD_MEMBER = 200,
};

static const char *pick(struct directory directory, uint64_t i, enum field field, const char *const *texts,
			size_t count)
{
	return texts[generate_mix(directory.seed, i, field) % count];
}

static const char *first_name(struct directory directory, uint64_t i)
{
	return pick(directory, i, FIELD_FIRST_NAME, first_names, COUNT(first_names));
}

static const char *last_name(struct directory directory, uint64_t i)
{
	return pick(directory, i, FIELD_LAST_NAME, last_names, COUNT(last_names));
}

static const char *lower(const char *name, char copy[NAME_SIZE])
{
	size_t size = 0;
	for (; name[size] != '\0' && size + 1 < NAME_SIZE; size++)
		copy[size] = (char)tolower((unsigned char)name[size]);
	copy[size] = '\0';
	return copy;
}

static uint64_t unit_count(struct directory directory)
{
	return directory.users >= 2 * UNIT_SIZE ? directory.users / UNIT_SIZE : 1;
}

static void put_names(struct buffer *out, struct directory directory, uint64_t i)
{
	char a[NAME_SIZE], b[NAME_SIZE];
	const char *first = first_name(directory, i), *last = last_name(directory, i);
	uint64_t misc = generate_mix(directory.seed, i, FIELD_MISC);
	generate_printf(out,
			"<cn>%s %s</cn><sn>%s</sn><given-name>%s</given-name><title>%s</title>"
			"<mail>%s.%s.%" PRIu64 "@example.com</mail>",
			first, last, last, first, pick(directory, i, FIELD_TITLE, titles, COUNT(titles)),
			lower(first, a), lower(last, b), i);
	if (misc >> 8 & 1)
		generate_printf(out, "<mail-alias>%s%" PRIu64 "@alias.example.com</mail-alias>", b, i);
	generate_printf(out, "<telephone>+%" PRIu64 " %" PRIu64 " %06" PRIu64 "</telephone>",
			1 + (misc >> 12) % 98, 100 + (misc >> 20) % 900, (misc >> 32) % 1000000);
}

static void put_place(struct buffer *out, struct directory directory, uint64_t i)
{
	uint64_t misc = generate_mix(directory.seed, i, FIELD_MISC);
	generate_printf(out, "<unit>unit%05" PRIu64 "</unit>", i % unit_count(directory));
	if (i > 0)
		generate_printf(out, "<manager>user%07" PRIu64 "</manager>", (i - 1) / 10);
	generate_printf(out,
			"<room>%s-%" PRIu64 "</room><home-directory>/home/user%07" PRIu64 "</home-directory>",
			pick(directory, i, FIELD_CITY, cities, COUNT(cities)), misc >> 40 & 1023, i);
	if ((misc >> 50 & 3) == 0)
		generate_put(out, "<login-shell>zsh</login-shell>");
	generate_printf(out, "<preferred-language>%s</preferred-language>",
			pick(directory, i, FIELD_LANGUAGE, languages, COUNT(languages)));
}

static void put_employment(struct buffer *out, struct directory directory, uint64_t i)
{
	uint64_t misc = generate_mix(directory.seed, i, FIELD_MISC);
	generate_printf(out, "<employment><country>%s</country><number>%" PRIu64 "</number>",
			countries[i % 8], 100000 + i / 8);
	if (misc % 10 == 0)
		generate_printf(
			out, "<kind>%s</kind><ends>20%02" PRIu64 "-%02" PRIu64 "-%02" PRIu64 "</ends>",
			misc & 1 ? "intern" : "contractor", 26 + misc % 8, 1 + misc % 12, 1 + misc % 28);
	generate_put(out, "</employment>");
}

static void put_credential(struct buffer *out, struct directory directory, uint64_t i)
{
	uint64_t misc = generate_mix(directory.seed, i, FIELD_MISC);
	if (misc % 13 == 0)
		generate_printf(out, "<public-key>AAAAC3NzaC1lZDI1NTE5AAAA%08" PRIx64 "</public-key>",
				misc >> 32);
	else if (misc % 17 == 0)
		generate_put(out, "<no-login/>");
	else
		generate_printf(out,
				"<password-hash>$6$%08" PRIx64 "$%016" PRIx64 "</password-hash>"
				"<password-changed>%" PRIu64 "</password-changed>",
				misc >> 32, generate_mix(directory.seed, i, FIELD_HASH),
				1700000000 + misc % 50000000);
	if (misc % 50 == 0)
		generate_printf(out, "<locked><reason>audit %" PRIu64 "</reason></locked>", misc % 997);
}

static void put_user(struct buffer *out, struct directory directory, uint64_t i)
{
	generate_printf(out,
			"<user><uid>user%07" PRIu64 "</uid><uid-number>%" PRIu64 "</uid-number>"
			"<primary-group>group%05" PRIu64 "</primary-group>",
			i, 10000 + i, i / GROUP_SIZE);
	put_names(out, directory, i);
	put_place(out, directory, i);
	put_employment(out, directory, i);
	put_credential(out, directory, i);
	generate_printf(
		out, "<description>Directory entry %" PRIu64 " of the test population</description></user>",
		i);
}

static void put_unit(struct buffer *out, struct directory directory, uint64_t i)
{
	generate_printf(out, "<unit><name>unit%05" PRIu64 "</name>", i);
	if (i > 0)
		generate_printf(out, "<parent>unit%05" PRIu64 "</parent>", (i - 1) / 8);
	if (i < directory.users)
		generate_printf(out, "<head>user%07" PRIu64 "</head>", i);
	generate_put(out, "</unit>");
}

static void put_member(struct buffer *out, uint64_t i)
{
	generate_printf(out, "<member>user%07" PRIu64 "</member>", i);
}

/* Members from elsewhere, each once, none of them the user behind the group's last. */
static void put_foreign_members(struct buffer *out, struct directory directory, uint64_t group, uint64_t end)
{
	uint64_t seen[FOREIGN_MEMBERS];
	size_t seen_count = 0;
	for (uint64_t q = 0; q < FOREIGN_MEMBERS; q++) {
		uint64_t other = generate_mix(directory.seed, group, FIELD_MEMBER + q) % directory.users;
		int known = (other >= group * GROUP_SIZE && other < end) || other == end % directory.users;
		for (size_t i = 0; i < seen_count; i++)
			known = known || seen[i] == other;
		if (known)
			continue;
		seen[seen_count++] = other;
		put_member(out, other);
	}
}

static void put_group(struct buffer *out, struct directory directory, uint64_t i)
{
	uint64_t begin = i * GROUP_SIZE, end = begin + GROUP_SIZE;
	end = end < directory.users ? end : directory.users;
	generate_printf(out,
			"<group><name>group%05" PRIu64 "</name><gid-number>%" PRIu64 "</gid-number>"
			"<description>Group %" PRIu64 "</description><owner>user%07" PRIu64 "</owner>"
			"<max-members>%d</max-members>",
			i, 10000 + i, i, begin, 2 * GROUP_SIZE);
	for (uint64_t user = begin; user < end; user++)
		put_member(out, user);
	put_foreign_members(out, directory, i, end);
	generate_put(out, "</group>");
}

void directory_import(struct buffer *out, uint64_t message_id, struct directory directory)
{
	uint64_t groups = (directory.users + GROUP_SIZE - 1) / GROUP_SIZE, units = unit_count(directory);
	generate_edit_begin(out, message_id);
	generate_put(out, "<directory xmlns=\"" DIRECTORY_NS "\"><suffix>example.com</suffix><units>");
	for (uint64_t i = 0; i < units; i++)
		put_unit(out, directory, i);
	generate_put(out, "</units><people>");
	for (uint64_t i = 0; i < directory.users; i++)
		put_user(out, directory, i);
	generate_put(out, "</people><groups>");
	for (uint64_t i = 0; i < groups; i++)
		put_group(out, directory, i);
	generate_put(out, "</groups></directory>");
	generate_edit_end(out);
}

void directory_modify(struct buffer *out, uint64_t message_id, uint64_t user, uint64_t round)
{
	generate_edit_begin(out, message_id);
	generate_printf(out,
			"<directory xmlns=\"" DIRECTORY_NS "\"><people><user><uid>user%07" PRIu64 "</uid>"
			"<room>Moved-%" PRIu64 "</room></user></people></directory>",
			user, round);
	generate_edit_end(out);
}

void directory_search_key(struct buffer *out, uint64_t message_id, uint64_t user)
{
	generate_rpc_begin(out, message_id);
	generate_printf(out,
			"<get-config><source><running/></source><filter type=\"subtree\">"
			"<directory xmlns=\"" DIRECTORY_NS "\"><people><user><uid>user%07" PRIu64
			"</uid></user>"
			"</people></directory></filter></get-config>",
			user);
	generate_rpc_end(out);
}

void directory_search_mail(struct buffer *out, uint64_t message_id, struct directory directory, uint64_t user)
{
	char xpath[256], a[NAME_SIZE], b[NAME_SIZE];
	snprintf(xpath, sizeof(xpath),
		 "/dir:directory/dir:people/dir:user[dir:mail='%s.%s.%" PRIu64 "@example.com']",
		 lower(first_name(directory, user), a), lower(last_name(directory, user), b), user);
	generate_get_xpath(out, message_id, DIRECTORY_NAMESPACES, xpath);
}

uint64_t directory_pick(struct directory directory, uint64_t i)
{
	return generate_mix(directory.seed, i, FIELD_PICK) % directory.users;
}
