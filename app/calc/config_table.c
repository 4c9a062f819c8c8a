/* What each model_type of a Hugging Face config.json means: the names of its fields, the defaults
 * that its configuration class documents for those left out, and what its code fixes (norms,
 * biases, positions). Data only; config.c reads it. Source: the configuration_*.py and
 * modeling_*.py files of huggingface/transformers (release 4.x; 5.x documents the same values).
 * Proof: tests/unit/cli/test_model_files.c. */
#include "preset_private.h"

/* The field names that llama and its descendants share; kv 0: as many as heads, dim 0:
 * hidden/heads. */
#define LLAMA_COUNTS(layers_, hidden_, heads_, kv_, dim_, ffn_, vocab_, seq_)                      \
    {                                                                                              \
        {"layers", {"num_hidden_layers"}, layers_}, {"hidden", {"hidden_size"}, hidden_},          \
            {"heads", {"num_attention_heads"}, heads_},                                            \
            {"kv-heads", {"num_key_value_heads"}, kv_}, {"head-dim", {"head_dim"}, dim_},          \
            {"ffn", {"intermediate_size"}, ffn_}, {"vocab", {"vocab_size"}, vocab_}, {             \
            "max-seq", {"max_position_embeddings"}, seq_                                           \
        }                                                                                          \
    }

/* The field names of DeepSeek's configurations: experts and latent attention. */
#define LATENT_COUNTS(layers_, hidden_, heads_, ffn_, vocab_, seq_, experts_, active_, shared_,    \
                      moe_, dense_)                                                                \
    {                                                                                              \
        {"layers", {"num_hidden_layers"}, layers_}, {"hidden", {"hidden_size"}, hidden_},          \
            {"heads", {"num_attention_heads"}, heads_}, {"ffn", {"intermediate_size"}, ffn_},      \
            {"vocab", {"vocab_size"}, vocab_}, {"max-seq", {"max_position_embeddings"}, seq_},     \
            {"experts", {"n_routed_experts", "num_experts", "num_local_experts"}, experts_},       \
            {"experts-active", {"num_experts_per_tok"}, active_},                                  \
            {"experts-shared", {"n_shared_experts"}, shared_},                                     \
            {"moe-ffn", {"moe_intermediate_size"}, moe_},                                          \
            {"dense-layers", {"first_k_dense_replace"}, dense_},                                   \
            {"q-rank", {"q_lora_rank"}, 1536}, {"kv-rank", {"kv_lora_rank"}, 512},                 \
            {"qk-nope", {"qk_nope_head_dim"}, 128}, {"qk-rope", {"qk_rope_head_dim"}, 64}, {       \
            "v-head", {"v_head_dim"}, 128                                                          \
        }                                                                                          \
    }

const struct config_architecture config_architectures[] = {
    {
        .model_type = "llama", /* biases: attention_bias and mlp_bias, see config.c */
        .counts = LLAMA_COUNTS(32, 4096, 32, 0, 0, 11008, 32000, 2048),
        .norms = 2,
        .gated = true,
    },
    {
        .model_type = "mistral",
        .counts = LLAMA_COUNTS(32, 4096, 32, 8, 0, 14336, 32000, 131072),
        .norms = 2,
        .gated = true,
    },
    {
        .model_type = "qwen2",
        .counts = LLAMA_COUNTS(32, 4096, 32, 32, 0, 22016, 151936, 32768),
        .norms = 2,
        .bias = CALC_BIAS_QKV,
        .gated = true,
    },
    {
        .model_type = "qwen3",
        .counts = LLAMA_COUNTS(32, 4096, 32, 32, 128, 22016, 151936, 32768),
        .demands = {{"attention_bias", false}},
        .norms = 2,
        .gated = true,
        .qk_norm = true,
    },
    {
        .model_type = "gpt2",
        .counts = {{"layers", {"n_layer", "num_hidden_layers"}, 12},
                   {"hidden", {"n_embd", "hidden_size"}, 768},
                   {"heads", {"n_head", "num_attention_heads"}, 12},
                   {"ffn", {"n_inner"}, 0},
                   {"vocab", {"vocab_size"}, 50257},
                   {"max-seq", {"n_positions", "max_position_embeddings", "n_ctx"}, 1024}},
        .demands = {{"add_cross_attention", false}},
        .norm = CALC_NORM_LAYER,
        .norms = 2,
        .bias = CALC_BIAS_ALL,
        .position = CALC_POSITION_LEARNED,
        .tied = true,
    },
    {
        .model_type = "gpt_neox",
        .counts = {{"layers", {"num_hidden_layers"}, 44},
                   {"hidden", {"hidden_size"}, 6144},
                   {"heads", {"num_attention_heads"}, 64},
                   {"ffn", {"intermediate_size"}, 24576},
                   {"vocab", {"vocab_size"}, 50432},
                   {"max-seq", {"max_position_embeddings"}, 2048}},
        .demands = {{"attention_bias", true}},
        .norm = CALC_NORM_LAYER,
        .norms = 2,
        .bias = CALC_BIAS_ALL,
    },
    {
        .model_type = "opt", /* biases and the width of the embedding: see config.c */
        .counts = {{"layers", {"num_hidden_layers"}, 12},
                   {"hidden", {"hidden_size"}, 768},
                   {"heads", {"num_attention_heads"}, 12},
                   {"ffn", {"ffn_dim"}, 3072},
                   {"vocab", {"vocab_size"}, 50272},
                   {"max-seq", {"max_position_embeddings"}, 2048}},
        .demands = {{"do_layer_norm_before", true},
                    {"_remove_final_layer_norm", false},
                    {"layer_norm_elementwise_affine", true}},
        .norm = CALC_NORM_LAYER,
        .norms = 2,
        .bias = CALC_BIAS_ALL,
        .position = CALC_POSITION_LEARNED,
        .extra_position_rows = 2,
        .tied = true,
    },
    {
        .model_type = "bloom", /* the FFN is always 4 times hidden */
        .counts = {{"layers", {"n_layer", "num_hidden_layers"}, 2},
                   {"hidden", {"n_embed", "hidden_size"}, 64},
                   {"heads", {"n_head", "num_attention_heads"}, 8},
                   {"vocab", {"vocab_size"}, 250880},
                   {"max-seq", {"seq_length"}, 0}},
        .norm = CALC_NORM_LAYER,
        .norms = 2,
        .bias = CALC_BIAS_ALL,
        .position = CALC_POSITION_ALIBI,
        .tied = true,
        .embedding_norm = true,
    },
    {
        .model_type = "phi3",
        .counts = LLAMA_COUNTS(32, 3072, 32, 0, 0, 8192, 32064, 4096),
        .norms = 2,
        .gated = true,
    },
    {
        .model_type = "gemma2",
        .counts = LLAMA_COUNTS(26, 2304, 8, 4, 256, 9216, 256000, 8192),
        .demands = {{"attention_bias", false}},
        .norms = 4,
        .gated = true,
        .tied = true,
    },
    {
        .model_type = "mixtral", /* intermediate_size is the width of an expert */
        .counts = {{"layers", {"num_hidden_layers"}, 32},
                   {"hidden", {"hidden_size"}, 4096},
                   {"heads", {"num_attention_heads"}, 32},
                   {"kv-heads", {"num_key_value_heads"}, 8},
                   {"head-dim", {"head_dim"}, 0},
                   {"ffn", {"intermediate_size"}, 14336},
                   {"vocab", {"vocab_size"}, 32000},
                   {"max-seq", {"max_position_embeddings"}, 131072},
                   {"experts", {"num_local_experts", "num_experts"}, 8},
                   {"experts-active", {"num_experts_per_tok"}, 2}},
        .norms = 2,
        .gated = true,
    },
    {
        .model_type =
            "qwen2_moe", /* shared experts, and which layers have experts: config_special.c */
        .counts = {{"layers", {"num_hidden_layers"}, 24},
                   {"hidden", {"hidden_size"}, 2048},
                   {"heads", {"num_attention_heads"}, 16},
                   {"kv-heads", {"num_key_value_heads"}, 16},
                   {"vocab", {"vocab_size"}, 151936},
                   {"max-seq", {"max_position_embeddings"}, 32768},
                   {"experts", {"num_experts"}, 60},
                   {"experts-active", {"num_experts_per_tok"}, 4},
                   {"moe-ffn", {"moe_intermediate_size"}, 1408}},
        .norms = 2,
        .bias = CALC_BIAS_QKV,
        .gated = true,
    },
    {
        .model_type = "qwen3_moe", /* intermediate_size is not used: every layer has experts */
        .counts = {{"layers", {"num_hidden_layers"}, 24},
                   {"hidden", {"hidden_size"}, 2048},
                   {"heads", {"num_attention_heads"}, 32},
                   {"kv-heads", {"num_key_value_heads"}, 4},
                   {"head-dim", {"head_dim"}, 0},
                   {"vocab", {"vocab_size"}, 151936},
                   {"max-seq", {"max_position_embeddings"}, 32768},
                   {"experts", {"num_experts", "num_local_experts"}, 128},
                   {"experts-active", {"num_experts_per_tok"}, 8},
                   {"moe-ffn", {"moe_intermediate_size"}, 768}},
        .demands = {{"attention_bias", false}},
        .norms = 2,
        .gated = true,
        .qk_norm = true,
    },
    {
        .model_type = "falcon", /* keys and values, positions, biases: config_special.c */
        .counts = {{"layers", {"num_hidden_layers", "n_layer"}, 32},
                   {"hidden", {"hidden_size", "n_embed"}, 4544},
                   {"heads", {"num_attention_heads", "n_head"}, 71},
                   {"ffn", {"ffn_hidden_size"}, 0},
                   {"vocab", {"vocab_size"}, 65024},
                   {"max-seq", {"max_position_embeddings"}, 2048}},
        .norm = CALC_NORM_LAYER,
        .norms = 2,
        .tied = true,
    },
    {
        .model_type = "deepseek_v2",
        .counts = LATENT_COUNTS(32, 4096, 32, 11008, 32000, 2048, 64, 0, 2, 1407, 0),
        .demands = {{"attention_bias", false}, {"mlp_bias", false}},
        .norms = 2,
        .gated = true,
    },
    {
        .model_type = "deepseek_v3",
        .counts = LATENT_COUNTS(61, 7168, 128, 18432, 129280, 4096, 256, 8, 1, 2048, 3),
        .demands = {{"attention_bias", false}},
        .norms = 2,
        .gated = true,
    },
};

const int config_architecture_count = sizeof config_architectures / sizeof config_architectures[0];
