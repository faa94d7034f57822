# nix run, nix profile install, nix develop. Never run by ccdir's own checks: they have no Nix.
{
  description = "Runs coding agents side by side in one terminal";
  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs = { self, nixpkgs }:
    let
      systems = [ "x86_64-linux" "aarch64-linux" "x86_64-darwin" "aarch64-darwin" ];
      each = f: nixpkgs.lib.genAttrs systems (system: f nixpkgs.legacyPackages.${system});
    in
    {
      packages = each (pkgs: {
        default = pkgs.buildGoModule {
          pname = "ccdir";
          version = "0.1.0-${self.shortRev or "dirty"}";
          src = self;
          # After a change of go.mod: go test ./test/arch -run TestNixHash -update
          vendorHash = "sha256-W1b1dsjonjSOgws7mKnYNELuNNWWdn2GxrN7V4KZ3nc=";
          env.CGO_ENABLED = 0;
          doCheck = false; # they start real programs: make test
          nativeBuildInputs = [ pkgs.gnumake ];
          buildPhase = ''
            runHook preBuild
            make -s share
            runHook postBuild
          '';
          installPhase = ''
            runHook preInstall
            make -s install PREFIX=$out INSTALLED_BY=nix
            runHook postInstall
          '';
          meta = {
            description = "Runs coding agents side by side in one terminal";
            license = pkgs.lib.licenses.mit;
            mainProgram = "ccdir";
          };
        };
      });
      devShells = each (pkgs: { default = pkgs.mkShell { packages = with pkgs; [ go gnumake git gcc tmux curl nodejs ]; }; });
    };
}
