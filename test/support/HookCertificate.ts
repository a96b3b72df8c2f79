/** A certificate for `hook.example.com` that nobody trusts but these tests, and its key, which guards nothing. */
export const certificate = `-----BEGIN CERTIFICATE-----
MIIBqzCCAVCgAwIBAgIUQenxZ8DNzLpQrwFN/h+mYQKUbMMwCgYIKoZIzj0EAwIw
GzEZMBcGA1UEAwwQaG9vay5leGFtcGxlLmNvbTAgFw0yNjExMjEwMzUxNThaGA8y
MTI2MTAyODAzNTE1OFowGzEZMBcGA1UEAwwQaG9vay5leGFtcGxlLmNvbTBZMBMG
ByqGSM49AgEGCCqGSM49AwEHA0IABG8sFmqFcPqxFqP7lvpeFviV3ufPHGqy0VWU
evawvDxswpPAsZ0OsOm4/Eb6/lL3oAF8E49fJiERSzmmvRZfokajcDBuMB0GA1Ud
DgQWBBQr5vmZGxnfIZUnLR/DhlY/KX39ZDAfBgNVHSMEGDAWgBQr5vmZGxnfIZUn
LR/DhlY/KX39ZDAPBgNVHRMBAf8EBTADAQH/MBsGA1UdEQQUMBKCEGhvb2suZXhh
bXBsZS5jb20wCgYIKoZIzj0EAwIDSQAwRgIhAORrvwnfdqDhmJvba+mKr+tvMslk
juWGgGZ/ey/I4tBgAiEAmdT1yV5a/OA+PHuDs9JxwBf/Sdj+oKlf/gN8IlMnpFc=
-----END CERTIFICATE-----`

export const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg/NyJ1ZWxMuOR2IJl
Y+vIXPsNy+lSUcUZfulnDhCAr4uhRANCAARvLBZqhXD6sRaj+5b6Xhb4ld7nzxxq
stFVlHr2sLw8bMKTwLGdDrDpuPxG+v5S96ABfBOPXyYhEUs5pr0WX6JG
-----END PRIVATE KEY-----`
