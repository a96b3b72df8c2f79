/** Keys of the settings, parted into their accounts and the findings about those that cannot be used. */
import { Result } from "effect"
import type * as Address from "../../domain/Address.ts"
import { type Finding, found } from "../../domain/doctor/Finding.ts"
import * as Keys from "../../domain/doctor/Keys.ts"
import type { NamedKey } from "./Check.ts"

export const accountsOf = (keys: ReadonlyArray<NamedKey>): ReadonlyArray<Address.Address> =>
  keys.flatMap(({ account }) => (Result.isSuccess(account) ? [account.success] : []))

export const unusable = (keys: ReadonlyArray<NamedKey>): ReadonlyArray<Finding> =>
  keys.flatMap(({ account, subject }) =>
    Result.isFailure(account) ? [found(Keys.kinds.unusable, subject, account.failure.message)] : []
  )
