/** A key of the service that its name tells. */
import { Effect } from "effect"
import type { KmsKey } from "../../domain/KmsKey.ts"
import * as AwsKms from "./AwsKms.ts"
import * as GcpKms from "./GcpKms.ts"

export interface Options {
  /** Timeout of a request with all its attempts. */
  readonly timeoutMillis: number
  /** Key file of a Google Cloud service account. Default: the machine's own service account. */
  readonly googleCredentials: string | undefined
}

export const make = Effect.fnUntraced(function* (key: KmsKey, { googleCredentials, timeoutMillis }: Options) {
  return key.provider === "aws"
    ? yield* AwsKms.make(key, { timeoutMillis })
    : yield* GcpKms.make(key, { timeoutMillis, credentialsFile: googleCredentials })
})
