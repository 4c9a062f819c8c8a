/* What shardlab.cl takes from OpenCL, as clang has it for PTX: the place of a work-item, and a square root that is rounded
 * once. Included before the kernels by kernels/ptx.sh alone. */
static ulong global_index(void) {
    return (ulong)__nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() +
           __nvvm_read_ptx_sreg_tid_x();
}
#define get_global_id(dimension) global_index()
#define sqrt(x) __nvvm_sqrt_rn_d(x)
