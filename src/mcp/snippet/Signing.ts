/** Signing in the generated module, and the whole sweep. */
import { DOMAIN_VERSION, TYPES } from "../../domain/SweepOrder.ts"
import { literal } from "./Literal.ts"

const uints = TYPES.SweepOrder.filter(({ type }) => type === "uint256")
  .map(({ name }) => `    ${name}: BigInt(order.${name})`)
  .join(",\n")

export const SIGNING = `\
function knownDelegate(chainId: number): Hex {
  const [name, known] =
    chainId === SOURCE_CHAIN_ID ? ["DELEGATE", DELEGATE] : ["MORE_DELEGATES", MORE_DELEGATES[chainId]]
  if (known !== undefined) return known
  throw new Error("do not sign: set " + name + " to the delegate of chain " + chainId + ", which the operator publishes")
}

function messageOf(order: SweepOrder): OrderMessage {
  return {
    ...order,
${uints}
  }
}

async function authorize(signer: Signer, chainId: number, nonce: number) {
  const authorization = { address: knownDelegate(chainId), chainId, nonce }
  const { r, s, yParity } = await signer.signAuthorization(authorization)
  return { ...authorization, r, s, yParity: yParity ?? 0 }
}

/** Reviews the order, then signs it (EIP-712) and the authorization to run the delegate (EIP-7702). */
export async function sign(signer: Signer, request: SweepRequest, offer: Offer) {
  review(signer.address, request, offer)
  const { order, quote } = offer
  const chainId = request.sourceChainId ?? SOURCE_CHAIN_ID
  const signature = await signer.signTypedData({
    // The verifying contract is the owner's own account, which runs the delegate.
    domain: {
      name: DOMAIN_NAME,
      version: ${literal(DOMAIN_VERSION)},
      chainId,
      verifyingContract: signer.address
    },
    types: ORDER_TYPES,
    primaryType: "SweepOrder",
    message: messageOf(order)
  })
  const authorization = await authorize(signer, chainId, Number(offer.signing.authorization.nonce))
  return { quoteId: quote.id, signature, authorization }
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
