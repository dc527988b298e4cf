/*
 * learn - what stays when a task is done.
 *
 * An episode of what was learnt, derived from the task and only made once;
 * what the task referred to, it refers to; what was in the way becomes a
 * pattern of errors, told once however often it was met.
 *
 * Threads    As the moment.
 */
#ifndef KNOWLEDGE_LEARN_H
#define KNOWLEDGE_LEARN_H

#include "knowledge/work.h"

/* learn_capture: data.episode_id, error_patterns, procedure_id, project. */
enum err learn_capture(struct work *work, const struct task *task);

#endif
