/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The data and the changes of yare-bench's own module yare-engine: for each number a list entry of each kind,
 * for every eighth a group with eight members.
 */
#include "constraint_rows.h"

#include <stdio.h>
#include <string.h>

#define GROUP_MEMBERS 8

/* "#" stands for a number of seven digits, the same in all places. */
static const char round_xml[] =
	"<local xmlns='urn:yare-engine'><k>#</k><a>1</a><b>2</b></local>"
	"<target xmlns='urn:yare-engine'><k>#</k><u>u#</u><v>v#</v></target>"
	"<reader xmlns='urn:yare-engine'><k>#</k><id>#</id></reader>"
	"<referrer xmlns='urn:yare-engine'><k>#</k><t>#</t><u>u#</u><v>v#</v></referrer>"
	"<conditional xmlns='urn:yare-engine'><k>#</k><type>a</type><x>x</x></conditional>"
	"<strict xmlns='urn:yare-engine'><k>#</k><m>m</m></strict>"
	"<pointer xmlns='urn:yare-engine' "
	"xmlns:y='urn:yare-engine'><k>#</k><i>/y:target[y:k='#']</i></pointer>";
static const char group_xml[] =
	"<group xmlns='urn:yare-engine'><k>#</k><limit>5</limit>"
	"<member><k>1</k><v>1</v></member><member><k>2</k><v>1</v></member><member><k>3</k><v>1</v></member>"
	"<member><k>4</k><v>1</v></member><member><k>5</k><v>1</v></member><member><k>6</k><v>1</v></member>"
	"<member><k>7</k><v>1</v></member><member><k>8</k><v>1</v></member></group>";

const struct constraint_row constraint_rows[CONSTRAINT_ROWS] = {
	{"must, local", "<local xmlns='urn:yare-engine'><k>#</k><a>2</a></local>",
	 "<local xmlns='urn:yare-engine'><k>#</k><a>1</a></local>"},
	{"must, local, refused", "<local xmlns='urn:yare-engine'><k>#</k><a>3</a></local>", NULL},
	{"must, fan-out to 8", "<group xmlns='urn:yare-engine'><k>@</k><limit>6</limit></group>",
	 "<group xmlns='urn:yare-engine'><k>@</k><limit>5</limit></group>"},
	{"must, keyed", "<target xmlns='urn:yare-engine'><k>#</k><w>good</w></target>",
	 "<target xmlns='urn:yare-engine'><k>#</k><w nc:operation='delete'/></target>"},
	{"must, keyed, refused", "<target xmlns='urn:yare-engine'><k>#</k><v>bad</v></target>", NULL},
	{"must, counted", "<target xmlns='urn:yare-engine'><k>new#</k></target>",
	 "<target xmlns='urn:yare-engine' nc:operation='delete'><k>new#</k></target>"},
	{"leafref, to a key", "<referrer xmlns='urn:yare-engine'><k>new#</k><t>#</t></referrer>",
	 "<referrer xmlns='urn:yare-engine' nc:operation='delete'><k>new#</k></referrer>"},
	{"leafref, to a value", "<referrer xmlns='urn:yare-engine'><k>new#</k><u>u#</u></referrer>",
	 "<referrer xmlns='urn:yare-engine' nc:operation='delete'><k>new#</k></referrer>"},
	{"leafref, by another", "<referrer xmlns='urn:yare-engine'><k>new#</k><t>#</t><v>v#</v></referrer>",
	 "<referrer xmlns='urn:yare-engine' nc:operation='delete'><k>new#</k></referrer>"},
	{"leafref, target deleted", "<target xmlns='urn:yare-engine' nc:operation='delete'><k>#</k></target>",
	 NULL},
	{"unique", "<target xmlns='urn:yare-engine'><k>new#</k><u>new</u></target>",
	 "<target xmlns='urn:yare-engine' nc:operation='delete'><k>new#</k></target>"},
	{"unique, refused", "<target xmlns='urn:yare-engine'><k>new#</k><u>u#</u></target>", NULL},
	{"instance-identifier",
	 "<pointer xmlns='urn:yare-engine' xmlns:y='urn:yare-engine'><k>new#</k>"
	 "<i>/y:target[y:k='#']/y:v</i></pointer>",
	 "<pointer xmlns='urn:yare-engine' nc:operation='delete'><k>new#</k></pointer>"},
	{"when, true", "<conditional xmlns='urn:yare-engine'><k>#</k><x>y</x></conditional>",
	 "<conditional xmlns='urn:yare-engine'><k>#</k><x>x</x></conditional>"},
	{"when, turns false", "<conditional xmlns='urn:yare-engine'><k>#</k><type>b</type></conditional>",
	 "<conditional xmlns='urn:yare-engine'><k>#</k><type>a</type><x>x</x></conditional>"},
	{"mandatory, max-elements", "<strict xmlns='urn:yare-engine'><k>new#</k><m>m</m></strict>",
	 "<strict xmlns='urn:yare-engine' nc:operation='delete'><k>new#</k></strict>"},
	{"mandatory, refused", "<strict xmlns='urn:yare-engine'><k>new#</k></strict>", NULL},
};

void constraint_rows_put(struct buffer *out, const char *form, unsigned number)
{
	for (; *form; form++) {
		char digits[16];
		unsigned shown = *form == '@' ? number / GROUP_MEMBERS : number;
		snprintf(digits, sizeof(digits), "%07u", shown);
		bool is_number = *form == '#' || *form == '@';
		struct bytes piece = is_number ? bytes_of(digits) : (struct bytes){form, 1};
		if (buffer_append(out, piece) != ST_OK)
			return;
	}
}

void constraint_rows_data(struct buffer *out, unsigned rounds)
{
	for (unsigned i = 0; i < rounds; i++) {
		constraint_rows_put(out, round_xml, i);
		if (i % GROUP_MEMBERS == 0)
			constraint_rows_put(out, group_xml, i / GROUP_MEMBERS);
	}
	constraint_rows_put(out, "<most xmlns='urn:yare-engine'>100000000</most>", 0);
}
