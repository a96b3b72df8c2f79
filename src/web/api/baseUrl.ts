/** Base url of the builder backend. Default: this page's origin. */
export const baseUrl: string =
  document.querySelector<HTMLMetaElement>('meta[name="builder-url"]')?.content || location.origin
