/** libsecp256k1, as the package's prebuilt addon exports it. The import fails on platforms without an addon. */
declare module "secp256k1/bindings.js" {
  const bindings: {
    /** Throws when the signature is not a pair of scalars, or no key has such a signature of the message. */
    readonly ecdsaRecover: (
      signature: Uint8Array,
      recoveryId: number,
      message: Uint8Array,
      compressed: boolean
    ) => Uint8Array
  }
  export default bindings
}
