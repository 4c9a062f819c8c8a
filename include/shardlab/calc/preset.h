/* From a record (a row of assets/models.json or gpus.json, or a Hugging Face config.json) to the scenario.
 * `store` read the file; this room knows what the fields mean. */
#ifndef CALC_PRESET_H
#define CALC_PRESET_H

#include "shardlab/base/record.h"
#include "shardlab/calc/scenario.h"

/* Sets the model's name (the row's id) and, except those given explicitly, its dimensions from a row of
 * models.json. Keys are option names with '_' for '-'. STATUS_FAILED names the key of a value that cannot be,
 * and then nothing has changed. */
MUST_USE enum status calc_model_apply(struct scenario *s, const struct record *row,
                                      struct message *why);

/* Sets name, listed and usable bytes, peaks by precision (*_tflops) and, except those given explicitly, the rates of
 * the links from a row of gpus.json. What the row leaves open (null) is 0, unknown. */
MUST_USE enum status calc_gpu_apply(struct scenario *s, const struct record *row,
                                    struct message *why);

enum { CALC_ASSUMED_MAX = 24 };
/* Fields that a config.json left out and the value its architecture documents for them: "num_key_value_heads=32". */
struct calc_assumed {
    int count;
    char items[CALC_ASSUMED_MAX][96];
};

/* Sets the model's dimensions from a Hugging Face config.json of model_type llama, mistral, qwen2, qwen3, gpt2,
 * gpt_neox, opt, bloom, phi3, gemma2, mixtral, qwen2_moe, qwen3_moe, falcon, deepseek_v2, deepseek_v3, except
 * those given explicitly. STATUS_FAILED: message with the key and
 * value that is wrong; an unknown model_type names the known ones. */
MUST_USE enum status calc_config_apply(struct scenario *s, const struct record *config,
                                       struct calc_assumed *assumed, struct message *why);

#endif
