/** Signing in the generated module, and the whole sweep. */
import { DEFAULT_DOMAIN_NAME, DOMAIN_VERSION } from "../../domain/SweepOrder.ts"
import { literal } from "./Literal.ts"

export const SIGNING = `\
function knownDelegate(): Hex {
  if (DELEGATE !== undefined) return DELEGATE
  throw new Error("do not sign: set DELEGATE to the delegate of chain " + SOURCE_CHAIN_ID + ", which the operator publishes")
}

/** Reviews the order, then signs it (EIP-712) and the authorization to run the delegate (EIP-7702). */
export async function sign(signer: Signer, request: SweepRequest, offer: Offer) {
  review(signer.address, request, offer)
  const { order, quote } = offer
  const signature = await signer.signTypedData({
    // The verifying contract is the owner's own account, which runs the delegate.
    domain: {
      name: ${literal(DEFAULT_DOMAIN_NAME)},
      version: ${literal(DOMAIN_VERSION)},
      chainId: SOURCE_CHAIN_ID,
      verifyingContract: signer.address
    },
    types: ORDER_TYPES,
    primaryType: "SweepOrder",
    message: {
      ...order,
      amountIn: BigInt(order.amountIn),
      feeAmount: BigInt(order.feeAmount),
      builderFee: BigInt(order.builderFee),
      minAmountOut: BigInt(order.minAmountOut),
      deadline: BigInt(order.deadline),
      nonce: BigInt(order.nonce),
      destChainId: BigInt(order.destChainId)
    }
  })
  const nonce = Number(offer.signing.authorization.nonce)
  const authorization = { address: knownDelegate(), chainId: SOURCE_CHAIN_ID, nonce }
  const { r, s, yParity } = await signer.signAuthorization(authorization)
  return { quoteId: quote.id, signature, authorization: { ...authorization, r, s, yParity: yParity ?? 0 } }
}

/** Quotes, reviews, signs, submits and follows. Signs nothing if \`confirm\` returns false. */
export async function sweep(
  signer: Signer,
  request: SweepRequest,
  confirm: (reviewed: ReturnType<typeof review>) => boolean | Promise<boolean>
): Promise<Intent | undefined> {
  const offer = await quote(signer.address, request)
  if (!(await confirm(review(signer.address, request, offer)))) return undefined
  const { id } = await submit(await sign(signer, request, offer))
  return follow(id)
}
`
