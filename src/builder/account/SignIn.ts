/** Signs in with a wallet (EIP-4361) and manages sessions (spec, "Authentication"). */
import { Clock, Context, Effect, Layer, Option, type Redacted, Result, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { bytesToHex, sha256, stringToBytes } from "viem"
import type * as Address from "../../domain/Address.ts"
import type { BuilderAccount } from "../../domain/Builder.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import { type Hash, Hex } from "../../domain/Hex.ts"
import * as Secret from "../../domain/Secret.ts"
import { accepts, lacksNonce } from "../../domain/Siwe.ts"
import { Builders } from "../../ports/builder/Builders.ts"
import { Chains, type ChainUnavailable } from "../../ports/shared/Chains.ts"
import { Nonces } from "../../ports/builder/Nonces.ts"
import { Sessions } from "../../ports/builder/Sessions.ts"
import { SignInMessages } from "../../ports/builder/SignInMessages.ts"
import type { StoreUnavailable } from "../../ports/shared/Store.ts"
import { WalletSignatures } from "../../ports/builder/WalletSignatures.ts"
import { BuilderSettings } from "../shared/BuilderSettings.ts"
import * as WalletChains from "./WalletChains.ts"

/** The text is not a sign-in message (EIP-4361). */
export class MalformedMessage extends Schema.TaggedError<MalformedMessage>()("MalformedMessage", {}) {
  override get message(): string {
    return "not a sign-in message"
  }
}

/** The message has no nonce, or its nonce was not issued here, has expired or was used. */
export class BadNonce extends Schema.TaggedError<BadNonce>()("BadNonce", {}) {
  override get message(): string {
    return "the nonce is missing, unknown or consumed"
  }
}

/** The wallet did not sign this message, or this deployment does not accept it. */
export class BadSignature extends Schema.TaggedError<BadSignature>()("BadSignature", { reason: Schema.String }) {
  override get message(): string {
    return `the sign-in message is not accepted: ${this.reason}`
  }
}

/** The wallet belongs to no builder. */
export class NoBuilder extends Schema.TaggedError<NoBuilder>()("NoBuilder", {}) {
  override get message(): string {
    return "the wallet belongs to no builder"
  }
}

export interface SignedMessage {
  readonly message: string
  readonly signature: string
}

/** A wallet that signed a message. */
export interface SignedWallet {
  readonly address: Address.Address
  /** Chain whose contract gave the signature. Absent if the account's key gave it. */
  readonly walletChainId?: ChainId
}

export interface OpenSession {
  readonly token: Redacted.Redacted
  readonly expiresAtMs: number
}

export type SignInFailure = MalformedMessage | BadNonce | BadSignature | ChainUnavailable | StoreUnavailable

/** Random bytes of a nonce. EIP-4361 requires at least 8 alphanumeric characters. */
const NONCE_BYTES = 16

const isHex = Schema.is(Hex)

/** Names the message for which a nonce is kept. It has the wallet's address, so no other wallet can use it. */
const hashOf = ({ message }: SignedMessage): Hash => sha256(stringToBytes(message))

export class SignIn extends Context.Service<
  SignIn,
  {
    /** Issues a nonce, to be signed within `nonceLifetimeMillis`. */
    readonly issueNonce: Effect.Effect<string, StoreUnavailable>
    /**
     * Verifies a message for a sign-up and returns the wallet that signed it. The nonce is fresh, or {@link signIn} kept it for this
     * message. Consumes the nonce only on success: any other failure leaves it usable, and of several valid messages with one nonce
     * exactly one succeeds.
     */
    readonly authenticate: (signed: SignedMessage) => Effect.Effect<SignedWallet, SignInFailure>
    /**
     * Opens a session for the builder of the signing wallet, and ends the caller's previous session. If the wallet belongs to no
     * builder and self-signup is enabled, the nonce is kept for a sign-up with the same message, so that one signature is enough.
     * The first signature of a contract wallet binds the builder to its chain.
     */
    readonly signIn: (
      signed: SignedMessage,
      previous: Option.Option<Redacted.Redacted>
    ) => Effect.Effect<{ readonly builder: BuilderAccount; readonly session: OpenSession }, SignInFailure | NoBuilder>
    readonly openSession: (
      builderId: string,
      previous: Option.Option<Redacted.Redacted>
    ) => Effect.Effect<OpenSession, StoreUnavailable>
    /** The builder of a session token; none when the token is unknown, ended or expired. */
    readonly current: (token: Redacted.Redacted) => Effect.Effect<Option.Option<BuilderAccount>, StoreUnavailable>
    readonly signOut: (token: Redacted.Redacted) => Effect.Effect<void, StoreUnavailable>
  }
>()("sweep/builder/SignIn") {
  static readonly layer = Layer.effect(
    SignIn,
    Effect.gen(function* () {
      const builders = yield* Builders
      const nonces = yield* Nonces
      const random = yield* SecureRandom.SecureRandom
      const sessions = yield* Sessions
      const settings = yield* BuilderSettings
      const verify = yield* makeVerify
      const { bind } = yield* WalletChains.make

      const issueNonce = Effect.gen(function* () {
        const nonce = bytesToHex(yield* random.randomBytes(NONCE_BYTES)).slice(2)
        yield* nonces.issue(nonce, (yield* Clock.currentTimeMillis) + settings.nonceLifetimeMillis)
        return nonce
      }).pipe(Effect.withSpan("SignIn.issueNonce"))

      const authenticate: SignIn["Service"]["authenticate"] = Effect.fn("SignIn.authenticate")(function* (signed) {
        const hash = hashOf(signed)
        const { nonce, wallet } = yield* verify(signed, (each) => nonces.isFresh(each, hash))
        if (!(yield* nonces.consume(nonce, hash))) return yield* new BadNonce()
        return wallet
      })

      const signOut: SignIn["Service"]["signOut"] = Effect.fn("SignIn.signOut")((token) =>
        sessions.end(Secret.hash(token))
      )

      const openSession: SignIn["Service"]["openSession"] = Effect.fn("SignIn.openSession")(
        function* (builderId, previous) {
          const token = Secret.sessionToken(yield* random.randomBytes(Secret.SECRET_BYTES))
          const expiresAtMs = (yield* Clock.currentTimeMillis) + settings.sessionLifetimeMillis
          yield* sessions.create({ tokenHash: Secret.hash(token), builderId, expiresAtMs })
          if (Option.isSome(previous)) yield* signOut(previous.value)
          return { token, expiresAtMs }
        }
      )

      const signIn: SignIn["Service"]["signIn"] = Effect.fn("SignIn.signIn")(function* (signed, previous) {
        const { builder, nonce, wallet } = yield* verify(signed, nonces.isFresh)
        const { walletChainId } = wallet
        const isUnbound = Option.isSome(builder) && builder.value.walletChainId === undefined
        if (isUnbound && walletChainId !== undefined && !(yield* bind(builder.value, walletChainId))) {
          return yield* new BadSignature({ reason: "wallet_chain" })
        }
        const isKept = Option.isNone(builder) && settings.selfSignupEnabled
        if (!(yield* isKept ? nonces.keepFor(nonce, hashOf(signed)) : nonces.consume(nonce))) {
          return yield* new BadNonce()
        }
        if (Option.isNone(builder)) return yield* new NoBuilder()
        const session = yield* openSession(builder.value.id, previous)
        // An operator who moves the wallet to another chain ends the sessions that exist. A later one must not last either.
        const now = walletChainId === undefined ? builder : yield* builders.byId(builder.value.id)
        if (walletChainId !== undefined && Option.getOrUndefined(now)?.walletChainId !== walletChainId) {
          yield* signOut(session.token)
          return yield* new BadSignature({ reason: "wallet_chain" })
        }
        return { builder: builder.value, session }
      })

      const current: SignIn["Service"]["current"] = Effect.fn("SignIn.current")((token) =>
        Secret.isSessionToken(token) ? sessions.find(Secret.hash(token)) : Effect.succeedNone
      )

      return SignIn.of({ issueNonce, authenticate, signIn, openSession, current, signOut })
    })
  )
}

/** Makes `verify`, which verifies a message whose nonce passes `isFresh`. Consumes nothing. */
const makeVerify = Effect.gen(function* () {
  const builders = yield* Builders
  const chains = yield* Chains
  const { counts } = yield* WalletChains.make
  const messages = yield* SignInMessages
  const settings = yield* BuilderSettings
  const signatures = yield* WalletSignatures

  const policy = {
    origins: settings.dashboardOrigins,
    resourceOrigins: settings.siweResourceOrigins,
    lifetimeMillis: settings.nonceLifetimeMillis,
    clockSkewMillis: settings.clockSkewMillis
  }
  const contractChainIds = settings.siweChainIds ?? chains.all.map(({ chain }) => chain.id)

  return Effect.fnUntraced(function* (
    signed: SignedMessage,
    isFresh: (nonce: string) => Effect.Effect<boolean, StoreUnavailable>
  ) {
    const parsed = messages.parse(signed.message)
    if (Option.isNone(parsed)) {
      return yield* lacksNonce(signed.message) ? new BadNonce() : new MalformedMessage()
    }
    const message = parsed.value
    if (!(yield* isFresh(message.nonce))) return yield* new BadNonce()
    const accepted = accepts(policy, message, yield* Clock.currentTimeMillis)
    if (Result.isFailure(accepted)) return yield* new BadSignature({ reason: accepted.failure })
    const { signature } = signed
    const { address, chainId, nonce } = message
    const isServed = contractChainIds.includes(chainId)
    const kind = isHex(signature)
      ? yield* signatures.verify({
          wallet: address,
          message: signed.message,
          signature,
          ...(isServed ? { chainId } : {})
        })
      : Option.none()
    if (Option.isNone(kind)) return yield* new BadSignature({ reason: isServed ? "signature" : "chain" })
    const builder = yield* builders.byWallet(address)
    const isContract = kind.value === "contract"
    if (isContract && !(yield* counts(address, chainId, builder))) {
      return yield* new BadSignature({ reason: "wallet_chain" })
    }
    const wallet: SignedWallet = { address, ...(isContract ? { walletChainId: chainId } : {}) }
    return { wallet, nonce, builder }
  })
})
