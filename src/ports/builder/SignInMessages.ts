/** Reads sign-in messages (EIP-4361). */
import { Context, type Option } from "effect"
import type { SiweMessage } from "../../domain/Siwe.ts"

export class SignInMessages extends Context.Service<
  SignInMessages,
  {
    /** The message's fields; none unless the whole text follows the standard's grammar. */
    readonly parse: (text: string) => Option.Option<SiweMessage>
  }
>()("sweep/ports/SignInMessages") {}
