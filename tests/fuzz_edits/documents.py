# SPDX-License-Identifier: BSD-3-Clause
"""Random contents of <config> for the module edit-fuzz: valid ones mostly, of one or of thousands of entries."""

NAMESPACE = "urn:yare:edit-fuzz"
BASE = "urn:ietf:params:xml:ns:netconf:base:1.0"
YANG = "urn:ietf:params:xml:ns:yang:1"
DEFAULTS = "urn:ietf:params:xml:ns:netconf:default:1.0"
DECLARED = ' xmlns:nc="%s" xmlns:y="%s" xmlns:wd="%s" xmlns:f="%s"' % (BASE, YANG, DEFAULTS, NAMESPACE)
UNITS = ["unit%d" % i for i in range(8)]
WORDS = ("a", "b", "sp ace", "&lt;&amp;&gt;", "&#x41;", "<![CDATA[c<d]]>", "e<!-- -->f", "\u00e9\u20ac", "")


class Document:
    """How often something special occurs is drawn once a document, so that most have little of it, and some much."""

    def __init__(self, random):
        self.random = random
        self.p = random.choice(("", "", "f:"))
        self.gap = random.choice(("", "", "\n  "))
        self.operations = random.choice((("delete", "remove"), ("create",), ("replace",), ("merge", "none"),
                                         ("delete", "remove", "create", "replace", "merge", "none")))
        self.operation_rate = random.choice((0, 0, 0, 0.001, 0.01, 0.1))
        self.insert_rate = random.choice((0, 0, 0.02, 0.2))
        self.annotation_rate = random.choice((0, 0, 0.01, 0.2))
        self.default_rate = random.choice((0, 0, 0, 0.02))
        self.twice_rate = random.choice((0, 0, 0, 0, 0.001, 0.02))
        self.bad_rate = random.choice((0, 0, 0, 0, 0.0005, 0.01))
        self.density = random.choice((0.1, 0.4, 0.9))
        self.shuffled = random.random() < 0.2
        self.size = random.choice((1, 3, 20, 20, 150, 150, 2500))
        self.first = random.choice((0, 0, 0, 10, 100, 5000))
        self.step = random.choice((1, 1, 1, 7))

    def happens(self, rate):
        return rate > 0 and self.random.random() < rate

    def word(self):
        return self.random.choice(WORDS)

    def attributes(self, insert=None, default=False):
        """Of one element; insert: what gives another's key or value, of what users order."""
        given = ""
        if self.happens(self.operation_rate):
            given += ' nc:operation="%s"' % self.random.choice(self.operations)
        if insert and self.happens(self.insert_rate):
            where = self.random.choice(("first", "last", "before", "after"))
            given += ' y:insert="%s"' % where
            if where in ("before", "after"):
                given += " " + insert()
        if self.happens(self.annotation_rate):
            given += self.random.choice((' f:colour="red"', ' f:colour="blue"', ' f:remark="r&quot;&#10;s"',
                                         ' f:colour="red" f:remark=""', ' f:remark="%s"' % ("long" * 20)))
            if self.happens(self.bad_rate * 10):
                given += self.random.choice((' f:unknown="x"', ' f:colour="green"'))
        if default and self.happens(self.default_rate):
            given += ' wd:default="true"'
        return given

    def leaf(self, name, value, **named):
        if self.happens(self.bad_rate):
            value = self.random.choice(("", "?", "&lt;", "99999999999", "<y/>", "x" * 300, "&none;"))
        text = "<%s%s%s>%s</%s%s>" % (self.p, name, self.attributes(**named), value, self.p, name)
        return text if not self.happens(self.twice_rate) else text + text

    def some(self, *made):
        """Each is a rate, and what makes the child; what has no rate is always there."""
        parts = [make() for rate, make in made if rate is None or self.happens(rate * self.density)]
        if self.shuffled:
            self.random.shuffle(parts)
        return self.gap.join(parts)

    def node(self, name, *parts, **named):
        inner = self.gap + self.gap.join(parts) + self.gap
        return "<%s%s%s>%s</%s%s>" % (self.p, name, self.attributes(**named), inner, self.p, name)

    def entries(self, indices, make):
        indices = list(indices)
        if indices and self.happens(self.twice_rate * 10):
            indices.append(self.random.choice(indices))
        if self.shuffled:
            self.random.shuffle(indices)
        return self.gap.join(make(i) for i in indices)

    def uid(self, wild=False):
        """Of a user that this document has, mostly."""
        if wild or self.happens(self.bad_rate):
            return "u%d" % self.random.randrange(6000)
        return "u%d" % (self.first + self.step * self.random.randrange(self.size))

    def several(self, name, values, **named):
        chosen = self.random.sample(values, self.random.randint(1, min(len(values), 4)))
        if self.happens(self.twice_rate):
            chosen.append(chosen[0])
        return self.gap.join("<%s%s%s>%s</%s%s>" % (self.p, name, self.attributes(**named), value, self.p, name)
                             for value in chosen)

    def job(self, number):
        kind = self.random.choice(("fixed", "guest"))
        ends = (None if kind == "guest" else self.bad_rate, lambda: self.leaf("ends", "2030"))
        return self.node("job", self.some((0.5, lambda: self.leaf("country", "CZ")),
                                          (0.5, lambda: self.leaf("number", number)),
                                          (None, lambda: self.leaf("kind", kind, default=True)), ends))

    def credential(self):
        case = self.random.randrange(4)
        keys = ["QUJD", "REVG", "R0hJ"]
        made = (self.leaf("hash", "$x"), self.leaf("changed", "12"), self.leaf("no-login", ""),
                self.several("public-key", keys,
                             insert=lambda: 'y:value="%s"' % self.random.choice(keys)))
        both = self.leaf("hash", "$y") if self.happens(self.twice_rate) else ""
        return made[case] + both

    def user(self, i):
        r = self.random
        number = 1000 + (i if not self.happens(self.bad_rate) else r.randrange(100))
        alias = lambda: 'y:value="al%d"' % r.randrange(6)
        key = self.leaf("uid", "u%d" % i) if not self.happens(self.bad_rate) else ""
        return self.node("user", key, self.some(
            (None, lambda: self.leaf("number", number)),
            (None, lambda: self.leaf("name", "nobody" if self.happens(self.bad_rate) else r.choice(("n", "m")))),
            (0.4, lambda: self.leaf("unit", r.choice(UNITS[:4]))),
            (0.4, lambda: self.leaf("boss", self.uid())),
            (0.4, lambda: self.leaf("note", self.word())),
            (0.4, lambda: self.leaf("shell", r.choice(("sh", "bash")), default=True)),
            (0.3, lambda: self.several("alias", ["al%d" % n for n in range(6)], insert=alias)),
            (0.3, lambda: self.several("phone", ["1", "22", "333"])),
            (0.6, lambda: self.job(i)),
            (0.3, self.credential),
            (0.2, lambda: self.node("locked", self.leaf("reason", self.word())))))

    def unit(self, i):
        return self.node("unit", self.leaf("name", UNITS[i]), self.some(
            (0.4, lambda: self.leaf("parent", UNITS[(i + 1) % 4])), (0.2, lambda: self.leaf("head", self.uid()))))

    def group(self, i):
        members = list(dict.fromkeys(self.uid() for _ in range(3)))
        return self.node("group", self.leaf("name", "g%d" % i), self.some(
            (0.5, lambda: self.gap.join(self.leaf("member", each) for each in members) + self.leaf("owner", members[0])),
            (0.5, lambda: self.leaf("most", self.random.choice((4, 9))))))

    def extra(self, i):
        return self.node("extra", self.leaf("k", "k%d" % i), self.leaf("v", self.word()))

    def site(self):
        full = self.happens(0.9)
        return [lambda: self.leaf("mode", "full" if full else "less"),
                lambda: self.entries(range(4), self.unit),
                lambda: self.entries(range(self.first, self.first + self.size * self.step, self.step), self.user),
                lambda: self.entries(range(min(self.size, 40)), self.group),
                lambda: self.node("further", self.entries(range(min(self.size, 500)), self.extra)),
                lambda: "<%sany%s><x xmlns='urn:x'>%s</x></%sany>" % (self.p, self.attributes(), self.word(), self.p)]

    def rule(self, i):
        other = lambda: "y:key=\"[f:a='r%d'][f:b='%d']\"" % ((lambda n: (n, n % 100))(self.random.randrange(50)))
        value = lambda: "y:key=\"[f:n='%d']\"" % self.random.randrange(4)
        steps = lambda: self.entries(self.random.sample(range(6), 3), lambda n: self.node(
            "step", self.leaf("n", n), self.leaf("v", self.word()), insert=value))
        return self.node("rule", self.leaf("a", "r%d" % i), self.leaf("b", i % 100),
                         self.some((0.5, lambda: self.leaf("action", self.word())), (0.5, steps)), insert=other)

    def typed(self, i):
        r = self.random
        where = "/f:site/f:user[f:uid='%s']" % self.uid()
        return self.node("typed", self.leaf("k", r.choice(("%d", "0%d", "t%d")) % i), self.some(
            (0.5, lambda: self.leaf("decimal", r.choice(("1.5", "+01.50", "-0.0")))),
            (0.5, lambda: self.leaf("bits", r.choice(("one", "three  one", "")))),
            (0.5, lambda: self.leaf("material", r.choice(("f:wood", "f:iron")))),
            (0.1, lambda: self.leaf("where", where)),
            (0.5, lambda: self.leaf("flag", r.choice(("true", "false"))))))

    def tops(self):
        step = lambda: 'y:value="s%d"' % self.random.randrange(40)
        site = lambda: self.node("site", self.some(*((0.7 / self.density, make) for make in self.site())))
        made = [(0.8, site),
                (0.3, lambda: self.entries(range(min(self.size, 300)), self.rule)),
                (0.3, lambda: self.entries(range(min(self.size, 300)), self.typed)),
                (0.3, lambda: self.entries(range(self.size), lambda i: self.leaf("word", "w%d" % i))),
                (0.3, lambda: self.entries(range(min(self.size, 40)),
                                           lambda i: self.leaf("step", "s%d" % i, insert=step))),
                (0.1, lambda: self.leaf("favourite", self.uid()))]
        return self.gap.join(make() for rate, make in made if self.happens(rate))

    def config(self, namespace):
        """The element of an operation in this namespace. Some are small, but as long as a large one."""
        inner = self.tops()
        if self.happens(0.3):
            inner = "<!--%s-->" % ("p" * self.random.choice((100, 17000, 70000))) + inner
        default = ' xmlns="%s"' % NAMESPACE if self.p == "" else ""
        return '<q:config xmlns:q="%s"%s%s>%s</q:config>' % (namespace, default, DECLARED, inner)
