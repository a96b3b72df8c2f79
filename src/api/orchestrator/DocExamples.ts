/** Values that the examples of the documentation share. */
export const id = "6f1e5f6c-8f0e-4d3c-9a5b-2d7c1f0e9b4a"
export const owner = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266"
export const tokenIn = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"
export const tokenOut = "0x4200000000000000000000000000000000000006"
export const delegate = "0x1111111111111111111111111111111111111111"
export const txHash = `0x${"ab".repeat(32)}`
