import type { Installation } from '../installation/installation.ts'

const LISTED = (name: string) =>
  `The service must be started with --allowed-host ${name}, or it refuses this name.`
/** Host and port as people type them, which the service must accept. */
const authorityOf = ({ publicName, publicPort }: Installation) =>
  publicPort === null ? publicName : `${publicName}:${publicPort}`

/** nginx configuration that serves the page under its own host name with TLS and a login. The page works only at the root of a host. */
export function nginxConf(installation: Installation): string {
  const { publicName, publicPort, address } = installation
  return `# /etc/nginx/conf.d/svc-quota-monitor.conf
# ${LISTED(authorityOf(installation))}
# Make the login:  htpasswd -c /etc/nginx/svc-quota-monitor.users ana

server {
    listen ${publicPort ?? 443} ssl;
    server_name ${publicName};

    ssl_certificate /etc/letsencrypt/live/${publicName}/fullchain.pem;
    ssl_certificate_key /etc/letsencrypt/live/${publicName}/privkey.pem;

    # The service has no login of its own: everybody who passes here reads everything it shows.
    auth_basic "quota";
    auth_basic_user_file /etc/nginx/svc-quota-monitor.users;

    location / {
        proxy_pass http://${address};
        proxy_http_version 1.1;
        # The name and port the browser asked for; the service checks them.
        proxy_set_header Host $http_host;
        proxy_set_header Connection "";
        # The login is for this proxy, and no business of the service.
        proxy_set_header Authorization "";
    }
}
`
}

export function caddyfile(installation: Installation): string {
  const authority = authorityOf(installation)
  return `# /etc/caddy/Caddyfile
# ${LISTED(authority)}
# Make the login:  caddy hash-password  and set QUOTA_USER and QUOTA_PASSWORD_HASH for the service of Caddy.
# basicauth is the one name that every Caddy 2 knows; from 2.8 on it prefers basic_auth and says so.

${authority} {
	basicauth {
		{$QUOTA_USER} {$QUOTA_PASSWORD_HASH}
	}
	reverse_proxy ${installation.address} {
		# The login is for this proxy, and no business of the service.
		header_up -Authorization
	}
}
`
}
