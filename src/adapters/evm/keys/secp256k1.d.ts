/** libsecp256k1 as the package's prebuilt addon exports it; without one for the platform, importing it fails. */
declare module "secp256k1/bindings.js" {
  const bindings: {
    /** Throws where the signature is no pair of scalars, or no key has it over the message. */
    readonly ecdsaRecover: (
      signature: Uint8Array,
      recoveryId: number,
      message: Uint8Array,
      compressed: boolean
    ) => Uint8Array
  }
  export default bindings
}
