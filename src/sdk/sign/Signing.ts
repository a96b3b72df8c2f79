/** Has a wallet sign a sweep, and verifies that each signature is the owner's. */
import { recoverAuthorizationAddress, recoverTypedDataAddress } from "../core/Viem.ts"
import { type Address, sameAddress } from "../model/Address.ts"
import type { SignedBatch } from "../model/Batch.ts"
import { SigningError } from "../model/Errors.ts"
import type { Hex } from "../model/Hex.ts"
import type { Authorization, AuthorizationRequest, SignedSweep } from "../model/Sweep.ts"
import { type AnyTypedData, signable } from "../model/TypedData.ts"
import type { BatchReview } from "../review/BatchReview.ts"
import type { SweepReview } from "../review/Review.ts"
import type { AuthorizationSignature, SweepSigner } from "./Signer.ts"

/** Has a wallet sign, and verifies that the signature is the owner's. */
const signedBy = async <Signed>(
  owner: Address,
  what: SigningError["what"],
  sign: () => Promise<Signed>,
  recover: (signed: Signed) => Promise<Address>
): Promise<Signed> => {
  const signed = await sign().catch((cause: unknown) => {
    throw new SigningError("signing_refused", what, cause instanceof Error ? cause.message : "refused", cause)
  })
  // Bytes that are no signature have no signer.
  const signer = await recover(signed).catch(() => "unknown" as const)
  if (signer === "unknown" || !sameAddress(signer, owner)) {
    throw new SigningError("wrong_signer", what, `the signer is ${signer}, expected ${owner}`)
  }
  return signed
}

/** A wallet that returns no parity means 0 (specification). */
const parity = ({ v, yParity }: AuthorizationSignature): 0 | 1 => {
  const given = Number(yParity ?? v ?? 0)
  return given === 0 || given === 27 ? 0 : 1
}

/**
 * Has the wallet sign an authorization (EIP-7702), and verifies the signature.
 *
 * @throws {SigningError} if the wallet refuses, or the signature is not the owner's over exactly this authorization
 */
export const signAuthorization = async (signer: SweepSigner, request: AuthorizationRequest): Promise<Authorization> => {
  if (typeof signer.signAuthorization !== "function") {
    throw new SigningError("unsupported_wallet", "authorization", "the wallet has no EIP-7702")
  }
  return signedBy(
    signer.address,
    "authorization",
    async (): Promise<Authorization> => {
      const signed = await signer.signAuthorization(request)
      return { ...request, r: signed.r, s: signed.s, yParity: parity(signed) }
    },
    (authorization) => recoverAuthorizationAddress({ authorization })
  )
}

/** Has the wallet sign typed data, and verifies that the signature is the owner's. */
const signTypedData = async (signer: SweepSigner, typedData: AnyTypedData): Promise<Hex> => {
  const owner = typedData.domain.verifyingContract
  if (!sameAddress(signer.address, owner)) {
    throw new SigningError("wrong_signer", "order", `the wallet is ${signer.address}, expected ${owner}`)
  }
  return signedBy(
    owner,
    "order",
    async () => signer.signTypedData(signable(typedData)),
    (signature) => recoverTypedDataAddress({ ...signable(typedData), signature })
  )
}

/**
 * Has the wallet sign a reviewed order (EIP-712) and its authorization (EIP-7702), and verifies both signatures.
 *
 * @throws {SigningError} if the wallet refuses, cannot sign authorizations, or is not the owner's
 * @example
 * const signed = await signReviewed(reviewOrder(offer, request, options), account)
 * await client.submit(signed)
 */
export const signReviewed = async (review: SweepReview, signer: SweepSigner): Promise<SignedSweep> => ({
  quoteId: review.quoteId,
  signature: await signTypedData(signer, review.typedData),
  authorization: await signAuthorization(signer, review.authorization)
})

/**
 * Has the wallet sign a reviewed batch once (EIP-712), and an authorization for each chain that needs one (EIP-7702). Verifies every
 * signature.
 *
 * @throws {SigningError} if the wallet refuses, cannot sign authorizations, or is not the owner's
 * @example
 * const signed = await signBatch(reviewSweepQuotes(quotes, request, options), account)
 * await client.submitSweep(signed)
 */
export const signBatch = async (review: BatchReview, signer: SweepSigner): Promise<SignedBatch> => {
  const signature = await signTypedData(signer, review.typedData)
  const authorizations: Array<Authorization> = []
  // One after the other: a wallet shows one prompt at a time.
  for (const request of review.authorizations) authorizations.push(await signAuthorization(signer, request))
  return { quoteIds: review.legs.map(({ quoteId }) => quoteId), signature, authorizations }
}
