/** The two signatures of a sweep, each checked to be the owner's before anything leaves. */
import { recoverTypedDataAddress } from "viem"
import { recoverAuthorizationAddress } from "viem/utils"
import { sameAddress } from "./address.ts"
import { SigningError } from "./errors.ts"
import type { SweepReview } from "./review.ts"
import type { AuthorizationSignature, SweepSigner } from "./signer.ts"
import type { Address, Authorization, AuthorizationRequest, Hex, SignedSweep } from "./types.ts"

const asked = async <A>(what: SigningError["what"], sign: () => Promise<A>): Promise<A> => {
  try {
    return await sign()
  } catch (cause) {
    throw new SigningError(
      "signing_refused",
      what,
      cause instanceof Error ? cause.message : "the wallet refused",
      cause
    )
  }
}

/** Whose signature it is; undefined for bytes that are none. */
const recovered = async (recover: () => Promise<Address>): Promise<Address | undefined> => {
  try {
    return await recover()
  } catch {
    return undefined
  }
}

const mustBe = (what: SigningError["what"], owner: Address, signer: Address | undefined): void => {
  if (signer !== undefined && sameAddress(signer, owner)) return
  const who = signer === undefined ? "nobody" : signer
  throw new SigningError("wrong_signer", what, `the signature is by ${who}, and the owner is ${owner}`)
}

/** The specification's default for wallets that return no parity is 0. */
const parity = ({ v, yParity }: AuthorizationSignature): 0 | 1 => {
  if (yParity !== undefined) return yParity === 0 ? 0 : 1
  return v === undefined || v === 0n || v === 0 || v === 27n || v === 27 ? 0 : 1
}

/** An EIP-7702 authorization by the signer, checked to be of exactly what was asked for. */
export const signAuthorization = async (signer: SweepSigner, request: AuthorizationRequest): Promise<Authorization> => {
  if (typeof signer.signAuthorization !== "function") {
    throw new SigningError("unsupported_wallet", "authorization", "the wallet cannot sign EIP-7702 authorizations")
  }
  const signed = await asked("authorization", () => signer.signAuthorization(request))
  const authorization: Authorization = { ...request, r: signed.r, s: signed.s, yParity: parity(signed) }
  mustBe("authorization", signer.address, await recovered(() => recoverAuthorizationAddress({ authorization })))
  return authorization
}

/** Signs a reviewed order and its authorization. A refusal of either rejects with {@link SigningError}. */
export const signReviewed = async (review: SweepReview, signer: SweepSigner): Promise<SignedSweep> => {
  if (!sameAddress(signer.address, review.owner)) {
    throw new SigningError("wrong_signer", "order", `the wallet is ${signer.address}, and the owner is ${review.owner}`)
  }
  const signature: Hex = await asked("order", () => signer.signTypedData(review.typedData))
  mustBe("order", review.owner, await recovered(() => recoverTypedDataAddress({ ...review.typedData, signature })))
  return { quoteId: review.quoteId, signature, authorization: await signAuthorization(signer, review.authorization) }
}
