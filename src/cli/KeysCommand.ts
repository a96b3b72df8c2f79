/** `./sweep keys`: makes encrypted keystores, and checks the keys of the settings. */
import { Console, Effect, FileSystem, Redacted, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { SecureRandom } from "effect/crypto"
import { bytesToHex } from "viem"
import * as Keystore from "../adapters/evm/keys/Keystore.ts"
import * as RawKey from "../adapters/evm/keys/RawKey.ts"
import { Hash, type Hex } from "../domain/Hex.ts"
import { addressCommand, checkCommand } from "./KeysCheck.ts"
import { UsageError } from "./UsageError.ts"

const file = Argument.String("file").pipe(
  Argument.withDescription("Keystore to write. An existing file is not touched")
)

const passphraseFile = Flag.String("passphrase-file").pipe(
  Flag.withDescription("File with the passphrase. If it does not exist, it is made with a random one")
)

/** Bytes of a private key and of a new passphrase. */
const RANDOM_BYTES = 32

/** Only the owner may read and write it. */
const PRIVATE_MODE = 0o600

const taken = (path: string) => new UsageError({ detail: `${path} exists already. Choose another file` })

/** Writes a file that did not exist. */
const writeNew = Effect.fnUntraced(function* (path: string, text: string) {
  const fs = yield* FileSystem.FileSystem
  yield* fs
    .writeFileString(path, text, { flag: "wx", mode: PRIVATE_MODE })
    .pipe(
      Effect.mapError(({ reason }) =>
        reason._tag === "AlreadyExists"
          ? taken(path)
          : new UsageError({ detail: `${path} cannot be written. Check its folder and permissions` })
      )
    )
})

/** The passphrase of the file, which is made if it does not exist. */
const passphraseOf = Effect.fnUntraced(function* (path: string) {
  const fs = yield* FileSystem.FileSystem
  const exists = yield* Effect.orElseSucceed(fs.exists(path), () => true)
  if (!exists) {
    const { randomBytes } = yield* SecureRandom.SecureRandom
    yield* writeNew(path, `${(yield* randomBytes(RANDOM_BYTES)).toBase64()}\n`)
    yield* Console.error(`wrote a random passphrase to ${path}. Without it the key is lost: keep a copy elsewhere`)
  }
  return yield* Keystore.passphraseOf(path)
})

const writeKeystore = Effect.fnUntraced(function* (path: string, passphrasePath: string, key: Redacted.Redacted<Hex>) {
  const fs = yield* FileSystem.FileSystem
  // Before the passphrase is made, and the costly derivation.
  if (yield* Effect.orElseSucceed(fs.exists(path), () => false)) return yield* taken(path)
  const { address } = yield* Effect.mapError(
    RawKey.account(key),
    ({ message }) => new UsageError({ detail: `the key ${message}` })
  )
  const text = yield* Keystore.sealed({ address, key }, yield* passphraseOf(passphrasePath))
  yield* writeNew(path, `${text}\n`)
  yield* Console.error(`wrote the keystore of ${address} to ${path}`)
  yield* Console.log(`keystore:${path}?passphrase=${passphrasePath}`)
})

const make = Command.make("new", { file, passphraseFile }, ({ file, passphraseFile }) =>
  Effect.gen(function* () {
    const { randomBytes } = yield* SecureRandom.SecureRandom
    // A random number is no key once in 2^128 times. Then the next line fails and nothing is written.
    const key = Redacted.make(bytesToHex(yield* randomBytes(RANDOM_BYTES)), { label: "private key" })
    yield* writeKeystore(file, passphraseFile, key)
  }).pipe(Effect.provide(SecureRandom.layerWebCrypto))
).pipe(
  Command.withDescription("Make a new key in an encrypted keystore, and print its setting"),
  Command.withExamples([
    {
      command: "sweep keys new keys/lane-1.json --passphrase-file keys/lane-1.passphrase",
      description: "Make the key of a lane"
    }
  ])
)

const isPrivateKey = Schema.is(Hash)

/** The private key in a file of 64 hex digits, with or without 0x. */
const readKey = Effect.fnUntraced(function* (path: string) {
  const fs = yield* FileSystem.FileSystem
  const text = yield* Effect.mapError(
    fs.readFileString(path),
    () => new UsageError({ detail: `${path} cannot be read. Check its path and permissions` })
  )
  const trimmed = text.trim()
  const key = trimmed.startsWith("0x") ? trimmed : `0x${trimmed}`
  return isPrivateKey(key)
    ? Redacted.make<Hex>(key, { label: "private key" })
    : yield* new UsageError({ detail: `${path} has no private key: 64 hex digits, with or without 0x` })
})

const imported = Command.make(
  "import",
  {
    file,
    passphraseFile,
    keyFile: Flag.String("key-file").pipe(
      Flag.withDescription("File with the private key in hex. Use /dev/stdin to pipe it. Delete it afterwards")
    )
  },
  ({ file, keyFile, passphraseFile }) =>
    Effect.flatMap(readKey(keyFile), (key) => writeKeystore(file, passphraseFile, key)).pipe(
      Effect.provide(SecureRandom.layerWebCrypto)
    )
).pipe(
  Command.withDescription("Put an existing private key into an encrypted keystore, and print its setting"),
  Command.withExamples([
    {
      command: "sweep keys import keys/lane-1.json --passphrase-file keys/lane-1.passphrase --key-file old.key",
      description: "Import the key of a lane"
    }
  ])
)

export const keysCommand = Command.make("keys").pipe(
  Command.withDescription("Make encrypted keystores, and check the keys of the service's accounts"),
  Command.withSubcommands([make, imported, addressCommand, checkCommand])
)
