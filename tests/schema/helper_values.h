/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* Three small modules with leafs of every built-in type, for the tests of values. "imported" is not
 * implemented. */

#define OTHER                                                                                                \
	"module other {yang-version 1.1; namespace urn:other; prefix o; identity food; identity soup {base " \
	"food;}"                                                                                             \
	"  container plate {leaf name {type string;}}}"
#define IMPORTED                                                                                             \
	"module imported {yang-version 1.1; namespace urn:imported; prefix i; import other {prefix o;}"      \
	"  identity stew {base o:soup;}}"
#define VALUES                                                                                               \
	"module values {yang-version 1.1; namespace urn:values; prefix v;"                                   \
	"  import other {prefix o;} import imported {prefix i;} import ietf-yang-types {prefix yang;}"       \
	"  import ietf-inet-types {prefix inet;}"                                                            \
	"  feature off;"                                                                                     \
	"  identity bread {base o:food;} identity hidden {if-feature off; base o:food;} identity free;"      \
	"  identity both {base o:food; base free;}"                                                          \
	"  leaf i8 {type int8;} leaf i16 {type int16;} leaf i32 {type int32;} leaf i64 {type int64;}"        \
	"  leaf u8 {type uint8;} leaf u16 {type uint16;} leaf u32 {type uint32;} leaf u64 {type uint64;}"    \
	"  leaf ranged {type int8 {range '-5..-3 | 1..4' {error-message 'Not that.'; error-app-tag "         \
	"not-that;}}}"                                                                                       \
	"  leaf plain {type uint8 {range '2..3';}} leaf top {type uint64 {range '18446744073709551615';}}"   \
	"  leaf d1 {type decimal64 {fraction-digits 1;}} leaf d18 {type decimal64 {fraction-digits 18;}}"    \
	"  leaf dr {type decimal64 {fraction-digits 2; range '-1.5..2.25' {error-message 'Bad money.';"      \
	"    error-app-tag money;}}}"                                                                        \
	"  leaf bool {type boolean;} leaf none {type empty;} leaf str {type string;}"                        \
	"  leaf len {type string {length '2..3 | 5' {error-message 'Bad length.'; error-app-tag len;}}}"     \
	"  leaf pat {type string {pattern '[a-z]+' {error-message 'Lower.'; error-app-tag lower;}"           \
	"    pattern 'x.*' {modifier invert-match;}}}"                                                       \
	"  leaf slow {type string {pattern '(a|aa)+[bc]';}} leaf many {type string {pattern "                \
	"'([0-9a-f]{2}:?)*';}}"                                                                              \
	"  leaf enum {type enumeration {enum a; enum 'with space'; enum longer-than-seven {value 70;}}}"     \
	"  leaf bits {type bits {bit one {position 1;} bit zero {position 0;} bit ten {position 10;}}}"      \
	"  leaf bin {type binary;} leaf bin4 {type binary {length 4;}}"                                      \
	"  leaf ident {type identityref {base o:food;}} leaf two {type identityref {base o:food; base "      \
	"free;}}"                                                                                            \
	"  leaf inst {type instance-identifier;}"                                                            \
	"  leaf ref {type leafref {path '/v:i8';}} leaf ref2 {type leafref {path '../ref';}}"                \
	"  leaf uni {type union {type uint8; type enumeration {enum auto;} type identityref {base o:food;}"  \
	"    type union {type boolean; type string {pattern '[A-Z]+';}} type leafref {path '/v:d1';}}}"      \
	"  leaf order {type union {type string {length '2';} type int8; type string;}}"                      \
	"  leaf date {type yang:date-and-time;} leaf mac {type yang:mac-address;} leaf xp {type "            \
	"yang:xpath1.0;}"                                                                                    \
	"  leaf ip {type inet:ip-address;} leaf v6 {type inet:ipv6-address;} leaf net {type "                \
	"inet:ipv4-prefix;}"                                                                                 \
	"  leaf hex {type int32; default 0x1f;} leaf-list idents {type identityref {base o:food;} default "  \
	"bread;"                                                                                             \
	"    default o:soup;} leaf insts {type instance-identifier; default "                                \
	"\"/v:list[v:name='x'][v:nr='1'][v:kind='bread']\";}"                                                \
	"  container box {leaf a {type string;} leaf-list ll {type int8;} list state {config false;"         \
	"    leaf s {type string;}} leaf-list sl {config false; type string;} anydata any;}"                 \
	"  list list {key 'nr name kind'; leaf name {type string;} leaf nr {type int8;}"                     \
	"    leaf kind {type identityref {base o:food;}} leaf inner {type string;}}"                         \
	"  augment /o:plate {leaf mine {type string;}}}"
