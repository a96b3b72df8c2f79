/** Answers of the service, checked: every field that the client relies on has its type, or the answer is refused. */
import { getAddress } from "viem"
import { MalformedAnswerError } from "./errors.ts"
import type {
  Accepted,
  Address,
  Hex,
  Intent,
  IntentStatus,
  ListedToken,
  TokenPrice,
  Offer,
  Portfolio,
  PortfolioToken,
  ServedChain,
  ServedTypedData,
  SignedSweep,
  SweepableToken,
  SweepOrder,
  SweepRequest,
  Tier,
  TypeMember
} from "./types.ts"

type Read<A> = (value: unknown, path: string) => A

/** A reader of what `is` accepts. */
const reader =
  <A>(expected: string, is: (value: unknown) => value is A): Read<A> =>
  (value, path) => {
    if (!is(value)) throw new MalformedAnswerError(path, expected)
    return value
  }

const matching = (pattern: RegExp) => (value: unknown) => typeof value === "string" && pattern.test(value)

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const object = reader("an object", isObject)
const text = reader("a string", (value): value is string => typeof value === "string")
const boolean = reader("a boolean", (value): value is boolean => typeof value === "boolean")
const safeInteger = reader("a non-negative integer", (value): value is number => {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0
})
const hexText = reader("bytes", (value): value is Hex => matching(/^0x(?:[0-9a-fA-F]{2})*$/)(value))
const hash = reader("a hash", (value): value is Hex => matching(/^0x[0-9a-fA-F]{64}$/)(value))
const addressText = reader("an address", (value): value is Address => matching(/^0x[0-9a-fA-F]{40}$/)(value))
const decimal = reader("a decimal string", (value): value is string => matching(/^[0-9]{1,78}$/)(value))

const address: Read<Address> = (value, path) => getAddress(addressText(value, path).toLowerCase())

const MAX_UINT256 = 2n ** 256n - 1n

const uint256: Read<bigint> = (value, path) => {
  const amount = BigInt(decimal(value, path))
  if (amount > MAX_UINT256) throw new MalformedAnswerError(path, "a uint256")
  return amount
}

/** An account nonce travels as a decimal string; wallets take it as a number. */
const accountNonce: Read<number> = (value, path) =>
  safeInteger(typeof value === "string" ? Number(decimal(value, path)) : value, path)

const oneOf = <const A extends ReadonlyArray<string>>(values: A) =>
  reader(`one of ${values.join(", ")}`, (value): value is A[number] => values.some((each) => each === value))

const tier = oneOf(["tier1", "tier2", "tier3"] satisfies ReadonlyArray<Tier>)
const status = oneOf([
  "quoted",
  "submitted",
  "settled_source",
  "delivered",
  "failed"
] satisfies ReadonlyArray<IntentStatus>)
const delegationState = oneOf(["none", "ours", "other", "contract"])

const nullable =
  <A>(read: Read<A>): Read<A | null> =>
  (value, path) =>
    value === null ? null : read(value, path)

const list =
  <A>(read: Read<A>): Read<ReadonlyArray<A>> =>
  (value, path) => {
    if (!Array.isArray(value)) throw new MalformedAnswerError(path, "a list")
    return value.map((each, index) => read(each, `${path}[${index}]`))
  }

/** Reads the members of the object at `path`. */
const members = (value: unknown, path: string) => {
  const fields = object(value, path)
  const under = (key: string) => (path === "" ? key : `${path}.${key}`)
  return {
    get: <A>(key: string, read: Read<A>): A => read(fields[key], under(key)),
    /** For a spread: empty when there is no such member. */
    optional: <K extends string, A>(key: K, read: Read<A>): { readonly [Key in K]?: A } => {
      if (fields[key] === undefined) return {}
      const found: { [Key in K]?: A } = {}
      found[key] = read(fields[key], under(key))
      return found
    }
  }
}

const order: Read<SweepOrder> = (value, path) => {
  const { get } = members(value, path)
  return {
    owner: get("owner", address),
    tokenIn: get("tokenIn", address),
    amountIn: get("amountIn", uint256),
    feeAmount: get("feeAmount", uint256),
    builder: get("builder", address),
    builderFee: get("builderFee", uint256),
    tokenOut: get("tokenOut", address),
    minAmountOut: get("minAmountOut", uint256),
    destination: get("destination", address),
    swapTarget: get("swapTarget", address),
    swapCalldata: get("swapCalldata", hexText),
    deadline: get("deadline", uint256),
    nonce: get("nonce", uint256),
    destChainId: get("destChainId", uint256)
  }
}

const quote: Read<Offer["quote"]> = (value, path) => {
  const { get, optional } = members(value, path)
  return {
    id: get("id", text),
    crossChain: get("crossChain", boolean),
    expiresAtMs: get("expiresAtMs", safeInteger),
    total: get("total", uint256),
    ...optional("builderId", text),
    settlementAddress: get("settlementAddress", address),
    sourceChainId: get("sourceChainId", safeInteger),
    estimatedAmountOut: get("estimatedAmountOut", uint256),
    minAmountOut: get("minAmountOut", uint256),
    provider: get("provider", text),
    estimatedSeconds: get("estimatedSeconds", safeInteger)
  }
}

const typeMember: Read<TypeMember> = (value, path) => {
  const { get } = members(value, path)
  return { name: get("name", text), type: get("type", text) }
}

const typedData: Read<ServedTypedData> = (value, path) => {
  const { get } = members(value, path)
  return {
    domain: get("domain", (domain, at) => {
      const { get } = members(domain, at)
      return {
        name: get("name", text),
        version: get("version", text),
        chainId: get("chainId", safeInteger),
        verifyingContract: get("verifyingContract", address)
      }
    }),
    types: get("types", (types, at) =>
      Object.fromEntries(
        Object.entries(object(types, at)).map(([name, each]) => [name, list(typeMember)(each, `${at}.${name}`)])
      )
    ),
    primaryType: get("primaryType", text),
    message: get("message", order)
  }
}

/** Of `POST /quote`. */
export const readOffer = (body: unknown): Offer => {
  const { get } = members(body, "")
  return {
    quote: get("quote", quote),
    order: get("order", order),
    signing: get("signing", (value, path) => {
      const { get } = members(value, path)
      return {
        typedData: get("typedData", typedData),
        authorization: get("authorization", (authorization, at) => {
          const { get } = members(authorization, at)
          return {
            address: get("address", address),
            chainId: get("chainId", safeInteger),
            nonce: get("nonce", accountNonce)
          }
        })
      }
    })
  }
}

/** Of `POST /intents`. */
export const readAccepted = (body: unknown): Accepted => {
  const { get, optional } = members(body, "")
  return { id: get("id", text), status: get("status", status), ...optional("txHash", hash) }
}

/** Of `GET /intents/:id`. */
export const readIntent = (body: unknown): Intent => {
  const { get, optional } = members(body, "")
  return {
    id: get("id", text),
    status: get("status", status),
    crossChain: get("crossChain", boolean),
    ...optional("txHash", hash),
    ...optional("deliveryTxHash", hash),
    ...optional("failureReason", text)
  }
}

const portfolioToken: Read<PortfolioToken> = (value, path) => {
  const { get } = members(value, path)
  return {
    chainId: get("chainId", safeInteger),
    address: get("address", address),
    symbol: get("symbol", text),
    name: get("name", text),
    decimals: get("decimals", safeInteger),
    balance: get("balance", uint256),
    priceUsd: get("priceUsd", nullable(text)),
    valueUsd: get("valueUsd", nullable(text)),
    tier: get("tier", tier)
  }
}

const sweepableToken: Read<SweepableToken> = (value, path) => {
  const { get } = members(value, path)
  return {
    ...portfolioToken(value, path),
    sweepable: get("sweepable", boolean),
    reason: get("reason", nullable(text)),
    delegation: get("delegation", delegationState),
    estimatedNetAmount: get("estimatedNetAmount", uint256),
    estimatedNetUsd: get("estimatedNetUsd", nullable(text))
  }
}

const portfolioOf =
  <Token>(token: Read<Token>) =>
  (body: unknown): Portfolio<Token> => {
    const { get } = members(body, "")
    return {
      owner: get("owner", address),
      tokens: get("tokens", list(token)),
      totalUsd: get("totalUsd", text),
      updatedAtMs: get("updatedAtMs", safeInteger)
    }
  }

/** Of `GET /portfolio/:owner`. */
export const readPortfolio = portfolioOf(portfolioToken)

/** Of `GET /portfolio/:owner/sweepable`. */
export const readSweepable = portfolioOf(sweepableToken)

const servedChain: Read<ServedChain> = (value, path) => {
  const { get, optional } = members(value, path)
  return {
    id: get("id", safeInteger),
    name: get("name", text),
    nativeSymbol: get("nativeSymbol", text),
    wrappedNative: get("wrappedNative", address),
    contracts: get("contracts", (contracts, at) => {
      const { get } = members(contracts, at)
      return { delegate: get("delegate", address), guard: get("guard", address), entry: get("entry", address) }
    }),
    ...optional("explorerUrl", text),
    blockTimeMillis: get("blockTimeMillis", safeInteger),
    confirmations: get("confirmations", safeInteger),
    features: get("features", (features, at) => {
      const { get, optional } = members(features, at)
      return {
        source: get("source", boolean),
        swap: get("swap", boolean),
        bridgeDestinations: get("bridgeDestinations", list(safeInteger)),
        // An older service does not tell, and cannot.
        swapBeforeBridge: optional("swapBeforeBridge", boolean).swapBeforeBridge ?? false
      }
    })
  }
}

/** Of `GET /chains`. */
export const readChains = (body: unknown): ReadonlyArray<ServedChain> =>
  members(body, "").get("chains", list(servedChain))

const listedToken: Read<ListedToken> = (value, path) => {
  const { get, optional } = members(value, path)
  return {
    chainId: get("chainId", safeInteger),
    address: get("address", address),
    symbol: get("symbol", text),
    name: get("name", text),
    decimals: get("decimals", safeInteger),
    ...optional("logoURI", text)
  }
}

/** Of `GET /tokens`. */
export const readTokens = (body: unknown): ReadonlyArray<ListedToken> =>
  members(body, "").get("tokens", list(listedToken))

const tokenPrice: Read<TokenPrice> = (value, path) => {
  const { get } = members(value, path)
  return { chainId: get("chainId", safeInteger), address: get("address", address), priceUsd: get("priceUsd", text) }
}

/** Of `GET /prices`. */
export const readPrices = (body: unknown): ReadonlyArray<TokenPrice> =>
  members(body, "").get("prices", list(tokenPrice))

/** For `POST /quote`, with the defaults that {@link SweepRequest} tells. */
export const writeRequest = (request: SweepRequest) => ({
  owner: request.owner,
  tokenIn: request.tokenIn,
  amountIn: request.amountIn.toString(),
  tokenOut: request.tokenOut,
  destination: request.destination ?? request.owner,
  destChainId: request.destChainId,
  tier: request.tier ?? "tier1",
  subscriptionActive: request.subscriptionActive ?? false,
  userId: request.userId ?? request.owner,
  ...(request.route === undefined ? {} : { route: request.route }),
  ...(request.apiKey === undefined ? {} : { apiKey: request.apiKey })
})

/** For `POST /intents`. */
export const writeSigned = ({ authorization, quoteId, signature }: SignedSweep) => ({
  quoteId,
  signature,
  authorization: {
    address: authorization.address,
    chainId: authorization.chainId,
    nonce: authorization.nonce.toString(),
    r: authorization.r,
    s: authorization.s,
    yParity: authorization.yParity
  }
})
