/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Who may log in: the keys of an authorized_keys file (sshd(8)), each line "type base64 comment".
 *
 * A line that begins with options is not taken: they restrict what a key may do (from=, expiry-time=), and
 * letting a key in without its restriction would be worse than not letting it in. Such lines are logged once
 * a reading.
 *
 * The file is looked at in every authentication, and read again when its identity, size or times have
 * changed; a file that cannot be read lets nobody in. All workers share the keys, under a lock: a comparison
 * takes well below a microsecond, and reading is rare.
 */
#include "transport/ssh.h"

#include "base/buffer.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/vector.h"
#include "os/file.h"

#include <sys/stat.h>

#define FILE_SIZE_MAX ((size_t)1024 * 1024)

/* What changes when a file does. */
struct file_mark {
	dev_t device;
	ino_t inode;
	off_t size;
	struct timespec modified, changed;
};

struct transport_auth {
	char *path;
	char *user;	      /* NULL: any */
	pthread_mutex_t lock; /* over all below */
	struct file_mark mark;
	struct vector keys; /* ssh_key */
};

static bool look(const char *path, struct file_mark *mark)
{
	struct stat found;
	if (stat(path, &found) != 0)
		return false;
	memset(mark, 0, sizeof(*mark)); /* it is compared as bytes */
	mark->device = found.st_dev;
	mark->inode = found.st_ino;
	mark->size = found.st_size;
	mark->modified = found.st_mtim;
	mark->changed = found.st_ctim;
	return true;
}

static void forget_keys(struct transport_auth *auth)
{
	for (size_t i = 0; i < auth->keys.length; i++)
		ssh_key_free(*(ssh_key *)vector_at(&auth->keys, i));
	vector_clear(&auth->keys);
}

/* The next word of a line, terminated in place; NULL: none. */
static char *next_word(char **rest)
{
	char *word = *rest + strspn(*rest, " \t\r");
	if (*word == '\0')
		return NULL;
	char *end = word + strcspn(word, " \t\r");
	*rest = *end == '\0' ? end : end + 1;
	*end = '\0';
	return word;
}

/* False: the line is neither a key nor blank nor a comment. */
static bool read_line(struct transport_auth *auth, char *line)
{
	char *rest = line;
	char *type_name = next_word(&rest);
	if (type_name == NULL || type_name[0] == '#')
		return true;
	char *data = next_word(&rest);
	enum ssh_keytypes_e type = ssh_key_type_from_name(type_name);
	ssh_key key;
	if (type == SSH_KEYTYPE_UNKNOWN || data == NULL ||
	    ssh_pki_import_pubkey_base64(data, type, &key) != SSH_OK)
		return false;
	*(ssh_key *)vector_push(&auth->keys) = key;
	return true;
}

static void read_lines(struct transport_auth *auth, char *text)
{
	unsigned number = 0;
	for (char *line = text, *next; line != NULL; line = next) {
		next = strchr(line, '\n');
		if (next != NULL)
			*next++ = '\0';
		number++;
		if (!read_line(auth, line))
			log_warning("%s:%u: not a key that is understood; a line with options is never taken",
				    auth->path, number);
	}
}

static enum status read_keys(struct transport_auth *auth)
{
	forget_keys(auth);
	struct buffer buffer;
	buffer_init(&buffer, FILE_SIZE_MAX + 1);
	enum status status = os_path_read(auth->path, FILE_SIZE_MAX, &buffer);
	if (status == ST_OK)
		status = buffer_append(&buffer, (struct bytes){"", 1});
	if (status == ST_OK)
		read_lines(auth, buffer.data + buffer.start);
	buffer_fini(&buffer);
	if (status != ST_OK)
		log_error("cannot read %s: %s", auth->path,
			  status == ST_LIMIT ? "too large" : status_name(status));
	else
		log_info("%s: %zu key%s", auth->path, auth->keys.length, auth->keys.length == 1 ? "" : "s");
	return status;
}

/* Needs auth->lock. */
static enum status refresh(struct transport_auth *auth)
{
	struct file_mark mark = {0};
	if (!look(auth->path, &mark))
		memset(&mark, 0xff,
		       sizeof(mark)); /* of no file: so that it is said, once, that it cannot be read */
	if (memcmp(&mark, &auth->mark, sizeof(mark)) == 0)
		return ST_OK;
	auth->mark = mark;
	return read_keys(auth);
}

enum status transport__auth_new(const char *path, const char *user, struct transport_auth **auth)
{
	struct transport_auth *made = memory_zalloc(sizeof(*made));
	made->path = memory_strdup(path);
	made->user = user != NULL ? memory_strdup(user) : NULL;
	pthread_mutex_init(&made->lock, NULL);
	vector_init(&made->keys, sizeof(ssh_key));
	enum status status = refresh(made);
	if (status != ST_OK) {
		transport__auth_free(made);
		return status == ST_ABSENT ? ST_IO : status;
	}
	*auth = made;
	return ST_OK;
}

void transport__auth_free(struct transport_auth *auth)
{
	if (auth == NULL)
		return;
	forget_keys(auth);
	vector_fini(&auth->keys);
	pthread_mutex_destroy(&auth->lock);
	memory_free(auth->user);
	memory_free(auth->path);
	memory_free(auth);
}

bool transport__auth_allows(struct transport_auth *auth, const char *user, ssh_key key)
{
	if (auth->user != NULL && strcmp(auth->user, user) != 0)
		return false;
	bool allowed = false;
	pthread_mutex_lock(&auth->lock);
	enum status status = refresh(auth);
	for (size_t i = 0; status == ST_OK && i < auth->keys.length && !allowed; i++)
		allowed = ssh_key_cmp(*(ssh_key *)vector_at(&auth->keys, i), key, SSH_KEY_CMP_PUBLIC) == 0;
	pthread_mutex_unlock(&auth->lock);
	return allowed;
}
