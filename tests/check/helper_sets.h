/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* Whole folders of YANG modules for the tests of `check`. */
#include "helper_model.h"

/* All modules of the folder, all features; model_fini ends it. */
void model_init_folder(struct model *model, const char *dir);
