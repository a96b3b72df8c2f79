/** Key of a token on a chain. */
export const tokenKey = (chainId: number | undefined, token: string): string => `${chainId ?? ""}:${token}`
