/**
 * Components of nearly every page. The app imports them eagerly, so that they are in the app's script instead of a dozen small
 * ones that every page would request.
 */
export { useTokenBook } from "../api/tokens.ts"
export { readable } from "../lib/amounts.ts"
export { account } from "../lib/explorer.ts"
export { ago } from "../lib/time.ts"
export { Address } from "./Address.tsx"
export { Amount } from "./Amount.tsx"
export { Badge } from "./Badge.tsx"
export { Card } from "./Card.tsx"
export { CopyIcon } from "./Copy.tsx"
export { Page } from "./Page.tsx"
export { Table } from "./Table.tsx"
export { Time } from "./Time.tsx"
export { Toasts } from "./Toast.tsx"
export { TokenName } from "./TokenName.tsx"
