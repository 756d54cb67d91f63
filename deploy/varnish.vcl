# Caches public files of the service. Calls of the API pass through.
vcl 4.1;

backend default {
  .host = "service";
  .port = "8080";
}

sub vcl_recv {
  if (req.method == "PURGE") {
    # Only the service reaches the socket for purges, which compose.media.yaml does not publish.
    if (local.socket != "purge") {
      return (synth(405));
    }
    return (purge);
  }
  if (req.url !~ "^/media/") {
    return (pass);
  }
  unset req.http.Cookie;
}
