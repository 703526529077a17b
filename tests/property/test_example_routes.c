/* SPDX-License-Identifier: BSD-3-Clause */
#include "cfg/route_spec.h"
#include "support/cmocka.h"

#include <stdbool.h>

/* The route file that is shipped as an example has nothing to complain about. */
static const char *path;

static int
port(const char *text, uint16_t *id, struct err *err)
{
	if (strlen(text) != 1 || text[0] < '0' || text[0] > '1')
		return err_set(err, -ENODEV, "no port '%s'", text);
	*id = (uint16_t)(text[0] - '0');
	return 0;
}

static void
complain(const char *line, void *arg)
{
	(void)arg;
	fail_msg("%s", line);
}

static void
example_is_sound(void **state)
{
	struct route_file_config cfg = { port, complain, complain, NULL };
	bool via = false, dev = false, blackhole = false;
	struct route_file file;
	struct err err;

	(void)state;
	if (route_file_read(path, &cfg, &file, &err) != 0)
		fail_msg("%s", err.text);
	for (uint32_t i = 0; i < file.n; i++) {
		via |= file.route[i].kind == ROUTE_VIA && file.route[i].nb_nh == 2;
		dev |= file.route[i].kind == ROUTE_DEV;
		blackhole |= file.route[i].kind == ROUTE_BLACKHOLE;
	}
	assert_true(via && dev && blackhole);
	route_file_free(&file);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(example_is_sound) };

	path = argc > 1 ? argv[1] : "config/routes/example.routes";
	return cmocka_run_group_tests(tests, NULL, NULL);
}
