export { makeCertificates, type Certificates, type ServerCertificate } from './certificates';
export { startTlsFront, type TlsFront } from './tls-front';
export { makePassword, PASSWORD_CHARACTERS, shownIn } from './password';
