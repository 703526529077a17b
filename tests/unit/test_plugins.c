/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/plugins.h"
#include "support/cmocka.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char dir[] = "/tmp/sluice-plugins-XXXXXX";

static int
check(const char *option, const char *name, struct err *err)
{
	char first[] = "sluice", cores[] = "-l", word[64], value[64];
	char *argv[] = { first, cores, word, value };

	snprintf(word, sizeof(word), "%s", option);
	snprintf(value, sizeof(value), "%s", name != NULL ? name : "");
	err->text[0] = '\0';
	return plugins_check(name == NULL ? 3 : 4, argv, err);
}

static void
what_is_below_a_folder_of_everybody_is_refused(void **state)
{
	char path[48], glued[64];
	struct err err;
	int fd;

	(void)state;
	snprintf(path, sizeof(path), "%s/plugin.so", dir);
	snprintf(glued, sizeof(glued), "-d%s", path);
	fd = open(path, O_CREAT | O_WRONLY, 0600);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(check("-d", path, &err), -EPERM);
	assert_non_null(strstr(err.text, "everybody may write to /tmp,"));
	assert_int_equal(check(glued, NULL, &err), -EPERM);
	assert_int_equal(check("-d", dir, &err), -EPERM); /* a folder of plugins */
	assert_int_equal(check("-n", path, &err), 0);     /* not a plugin */

	/* The nearest one is named. */
	assert_int_equal(chmod(path, 0602), 0);
	assert_int_equal(check("-d", path, &err), -EPERM);
	assert_non_null(strstr(err.text, "everybody may write to /tmp/sluice-plugins-"));
	assert_non_null(strstr(err.text, "/plugin.so,"));
	assert_int_equal(unlink(path), 0);
}

static void
a_file_that_is_not_there_is_named(void **state)
{
	struct err err;

	(void)state;
	assert_int_equal(check("-d", "/nowhere/plugin.so", &err), -ENOENT);
	assert_non_null(strstr(err.text, "-d /nowhere/plugin.so: No such file or directory"));
	assert_int_equal(check("-d", "plugin.so", &err), 0); /* the dynamic linker may know it */
	assert_int_equal(check("-d", NULL, &err), 0);        /* EAL says so */
}

static void
other_places_are_good(void **state)
{
	struct err err;

	(void)state;
	assert_int_equal(check("-d", "/usr/bin/env", &err), 0);
	assert_int_equal(check("-d", "/", &err), 0);
}

static int
setup(void **state)
{
	(void)state;
	return mkdtemp(dir) == NULL;
}

static int
teardown(void **state)
{
	(void)state;
	return rmdir(dir);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_below_a_folder_of_everybody_is_refused),
		cmocka_unit_test(a_file_that_is_not_there_is_named),
		cmocka_unit_test(other_places_are_good),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
